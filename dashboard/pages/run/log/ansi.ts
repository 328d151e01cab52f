/** A part of a line in one style. */
export interface Span {
  text: string
  /** Classes of the style sheet. */
  className: string
}

const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
const escape = '\u001B'

/** Splits a line at its ANSI colors. Other escape sequences, which move the cursor of a terminal, are left out. */
export function ansiSpans(line: string): Span[] {
  // A progress bar writes its states over each other. A terminal shows the last one.
  const text = line.slice(line.lastIndexOf('\r', line.length - 2) + 1)
  if (!text.includes(escape)) return [{ text, className: '' }]
  const spans: Span[] = []
  const style = { color: '', isBold: false, isFaint: false }
  const add = (part: string) => {
    if (part !== '') spans.push({ text: part, className: classOf(style) })
  }
  let from = 0
  for (let at = text.indexOf(escape); at !== -1; at = text.indexOf(escape, from)) {
    add(text.slice(from, at))
    const end = endOfSequence(text, at)
    if (text[end - 1] === 'm') applyCodes(style, text.slice(at + 2, end - 1))
    from = end
  }
  add(text.slice(from))
  return spans
}

/** The text of a line as a terminal shows it, without its colors. */
export const plainText = (line: string): string =>
  ansiSpans(line)
    .map(({ text }) => text)
    .join('')

/** Returns the index after the escape sequence that begins at `start`. */
function endOfSequence(text: string, start: number): number {
  const kind = text[start + 1]
  if (kind === '[') {
    for (let at = start + 2; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code >= 0x40 && code <= 0x7e) return at + 1
      if (code < 0x20 || code > 0x7e) return at
    }
    return text.length
  }
  // A link or a title of the window ends with BEL or ESC \.
  if (kind === ']') {
    for (let at = start + 2; at < text.length; at++) {
      if (text[at] === '\u0007') return at + 1
      if (text[at] === escape) return text[at + 1] === '\\' ? at + 2 : at
    }
    return text.length
  }
  return Math.min(start + 2, text.length)
}

interface Style {
  color: string
  isBold: boolean
  isFaint: boolean
}

function classOf({ color, isBold, isFaint }: Style): string {
  return [color === '' ? '' : `ansi-${color}`, isBold ? 'ansi-bold' : '', isFaint ? 'ansi-faint' : '']
    .filter(Boolean)
    .join(' ')
}

function applyCodes(style: Style, text: string): void {
  const codes = text === '' ? [0] : text.split(';').map(Number)
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) Object.assign(style, { color: '', isBold: false, isFaint: false })
    else if (code === 1) style.isBold = true
    else if (code === 2) style.isFaint = true
    else if (code === 22) Object.assign(style, { isBold: false, isFaint: false })
    else if (code >= 30 && code <= 37) style.color = colors[code - 30] ?? ''
    else if (code >= 90 && code <= 97) style.color = colors[code - 90] ?? ''
    else if (code === 39) style.color = ''
    // The colors of a palette or of RGB have further numbers.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4
  }
}
