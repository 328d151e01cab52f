/** Marks that change the direction of the text around them, so that it reads differently than it is. */
const isDirectionMark = (code: number) =>
  code === 0x200e ||
  code === 0x200f ||
  code === 0x61c ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2066 && code <= 0x2069)

/** Returns the text with pictures for control characters and direction marks, except tabs and line ends. */
export function visibleText(text: string): string {
  let shown = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isControl = (code < 0x20 && code !== 9 && code !== 10) || (code >= 0x7f && code < 0xa0)
    if (!isControl && !isDirectionMark(code)) continue
    shown += text.slice(from, at) + pictureOf(code)
    from = at + 1
  }
  return from === 0 ? text : shown + text.slice(from)
}

function pictureOf(code: number): string {
  if (code === 13) return ''
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '␡'
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
