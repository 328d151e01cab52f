import { isUtf8 } from 'node:buffer'

/**
 * The characters that are written as escapes: those on which a terminal or a page would act, marks that reorder text,
 * bytes that are not UTF-8 (as lone surrogates, see `decode`), and backslashes that would look like such an escape.
 */
const escaped =
  /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff\udc80-\udcff]|\\(?=x(?:[0189a-f][0-9a-f]|5c|7f)|u(?:00[89]|20[026]|fef)[0-9a-f])/gu

/**
 * Returns a path as text that is valid and harmless to show, and that differs for different bytes. Bytes that are not
 * UTF-8 appear as `\xe9`, control characters as `\x1b` or `\u009b`, marks that reorder text as `\u202e`. A backslash
 * appears as `\x5c` before text that would read as one of these. All other characters stay as they are.
 */
export function pathText(path: Buffer): string {
  return decode(path).replace(escaped, (character) => {
    const code = character.charCodeAt(0)
    const isByte = code < 0x80 || (0xdc80 <= code && code <= 0xdcff)
    return isByte ? `\\x${hexadecimal(code & 0xff, 2)}` : `\\u${hexadecimal(code, 4)}`
  })
}

/** Decodes UTF-8. Each other byte becomes a surrogate from U+DC80 to U+DCFF, which valid UTF-8 never yields. */
function decode(path: Buffer): string {
  if (isUtf8(path)) return path.toString()
  let text = ''
  for (let at = 0; at < path.length;) {
    const length = [1, 2, 3, 4].find((size) => at + size <= path.length && isUtf8(path.subarray(at, at + size)))
    text += length ? path.toString('utf8', at, at + length) : String.fromCharCode(0xdc00 + (path[at] ?? 0))
    at += length ?? 1
  }
  return text
}

const hexadecimal = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
