/** A piece of a line, and what it is to the grammar, such as `keyword` or `title.function`. Null for anything else. */
export type Token = readonly [text: string, kind: string | null]

/** A line whose text was cut, and how many characters are not shown. */
export interface CutLine {
  line: number
  leftOut: number
}

export interface LineWriter {
  add(text: string, kind: string | null): void
  /** @returns the lines as JSON, `linesPerPage` in each text, and the lines that were cut */
  finish(): { totalLines: number; pages: string[]; cutLines: CutLine[] }
}

export const linesPerPage = 500
const maxLineLength = 2_000

/** Splits tokens into lines. A line ends with `\n` or `\r\n`, like those of coverage reports. Long lines are cut. */
export function createLineWriter(): LineWriter {
  const pages: string[] = []
  const cutLines: CutLine[] = []
  let totalLines = 0
  let page: Token[][] = []
  let line: [text: string, kind: string | null][] = []
  let length = 0
  let shown = 0

  const append = (text: string, kind: string | null) => {
    length += text.length
    if (text === '' || shown === maxLineLength) return
    const fitting = shortened(text, maxLineLength - shown)
    // A cut line stays cut, although a pair of surrogates may not have fitted.
    shown = fitting.length < text.length ? maxLineLength : shown + fitting.length
    if (fitting === '') return
    const last = line.at(-1)
    if (last?.[1] === kind) last[0] += fitting
    else line.push([fitting, kind])
  }
  const endLine = () => {
    totalLines++
    removeReturn(line)
    const visible = line.reduce((sum, [text]) => sum + text.length, 0)
    if (length > maxLineLength) cutLines.push({ line: totalLines, leftOut: length - visible })
    page.push(line)
    line = []
    length = 0
    shown = 0
    if (page.length === linesPerPage) flush()
  }
  const flush = () => {
    pages.push(JSON.stringify(page))
    page = []
  }

  return {
    add(text, kind) {
      let start = 0
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        append(text.slice(start, end), kind)
        endLine()
        start = end + 1
      }
      append(text.slice(start), kind)
    },
    finish() {
      if (length > 0) endLine()
      if (page.length > 0) flush()
      return { totalLines, pages, cutLines }
    },
  }
}

/** Does not split a pair of surrogates. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

function removeReturn(line: [string, string | null][]): void {
  const last = line.at(-1)
  if (!last?.[0].endsWith('\r')) return
  last[0] = last[0].slice(0, -1)
  if (last[0] === '') line.pop()
}
