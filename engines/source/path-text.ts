import { isUtf8 } from 'node:buffer'

// What a terminal or a page would act upon instead of showing it, and characters that turn text around.
const unsafe = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/gu

/**
 * A path as text that is valid and harmless to show, the same for the same bytes. Bytes that are no UTF-8 appear as
 * `\xe9`, control characters as `\x1b`, marks that reorder text as `\u202e`; all others stay as they are.
 */
export function pathText(path: Buffer): string {
  const text = isUtf8(path) ? path.toString() : decodePiecewise(path)
  return text.replace(unsafe, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

function decodePiecewise(path: Buffer): string {
  let text = ''
  for (let at = 0; at < path.length;) {
    const length = [1, 2, 3, 4].find((size) => at + size <= path.length && isUtf8(path.subarray(at, at + size)))
    text += length ? path.toString('utf8', at, at + length) : `\\x${path[at]?.toString(16).padStart(2, '0')}`
    at += length ?? 1
  }
  return text
}
