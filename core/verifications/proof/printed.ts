import { plainText } from '../../../engines/reports/text.ts'

const kept = 64 * 1_024

/** Keeps the end of what was printed. */
export function keepEnd() {
  let text = ''
  return {
    write: (more: string) => {
      text += more
      // Not at every write: that would copy it again and again.
      if (text.length > 2 * kept) text = text.slice(-kept)
    },
    text: () => text.slice(-kept),
  }
}

/** Of either end. */
const shown = 1_000
/** Of a project's environment, a value has at most as many characters. */
const maxSecretLength = 32_768

/** Keeps what was printed first and last: an install says the cause first, and a build last. */
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
    /** Both ends without what `mask` takes out, or all of it where that is short. */
    text: () => {
      const isWhole = beginning.length + end.text().length === length
      const whole = clean(beginning + end.text())
      if (isWhole && whole.length <= 2 * shown) return whole
      // Where the middle was not kept, the half of a secret may be left, which no mask knows.
      const first = (isWhole ? whole : clean(beginning).slice(0, -maxSecretLength)).slice(0, shown)
      const last = (isWhole ? whole : clean(end.text()).slice(maxSecretLength)).slice(-shown)
      const gap = (isWhole ? whole.length : length) - first.length - last.length
      return `${first}\n[${gap} characters are left out here]\n${last}`.toWellFormed()
    },
  }
}
