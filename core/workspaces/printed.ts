import { plainText } from '../../engines/reports/text.ts'

const kept = 64 * 1_024

/** Keeps the end of an output. */
export function keepEnd() {
  let text = ''
  return {
    write: (more: string) => {
      text += more
      // Not at every write, because each cut copies the text.
      if (text.length > 2 * kept) text = text.slice(-kept)
    },
    text: () => text.slice(-kept),
  }
}

/** The number of characters shown of each end. */
const shown = 1_000
/** The maximum length of a value in a project's environment. */
const maxSecretLength = 32_768

/** Keeps both ends of an output: the cause of a failure comes first in an install and last in a build. */
export function keepEnds(mask: (text: string) => string) {
  let beginning = ''
  let length = 0
  const end = keepEnd()
  const clean = (text: string) => plainText(mask(text)).trim()
  return {
    write: (more: string) => {
      const room = kept - beginning.length
      beginning += more.slice(0, room)
      if (more.length > room) end.write(more.slice(room))
      length += more.length
    },
    /** Returns both ends, or a short output completely, with masked secrets. */
    text: () => {
      const isWhole = beginning.length + end.text().length === length
      const whole = clean(beginning + end.text())
      if (isWhole && whole.length <= 2 * shown) return whole
      // Where the middle was dropped, half a secret may remain, which the mask does not find.
      const first = (isWhole ? whole : clean(beginning).slice(0, -maxSecretLength)).slice(0, shown)
      const last = (isWhole ? whole : clean(end.text()).slice(maxSecretLength)).slice(-shown)
      const gap = (isWhole ? whole.length : length) - first.length - last.length
      return `${first}\n[${gap} characters are omitted here]\n${last}`.toWellFormed()
    },
  }
}
