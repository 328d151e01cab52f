import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pathText } from './path-text.ts'

test.each([
  ['plain text', Buffer.from('src/häuser 🏠.ts'), 'src/häuser 🏠.ts'],
  ['the escapes of systemd units', Buffer.from('foo\\x2dbar.mount'), 'foo\\x2dbar.mount'],
  ['other backslashes', Buffer.from('a\\b\\\\c\\x\\u12\\x0'), 'a\\b\\\\c\\x\\u12\\x0'],
  ['Latin-1', Buffer.from('caf\xe9.txt', 'latin1'), 'caf\\xe9.txt'],
  ['Latin-1 among UTF-8', Buffer.concat([Buffer.from('ä/'), Buffer.from([0xe9, 0x2e])]), 'ä/\\xe9.'],
  ['half a character', Buffer.from([0x61, 0xf0, 0x9f]), 'a\\xf0\\x9f'],
  ['an encoded surrogate', Buffer.from([0xed, 0xa0, 0x80]), '\\xed\\xa0\\x80'],
  ['terminal commands', Buffer.from('a\x1b[31mred\x07'), 'a\\x1b[31mred\\x07'],
  ['line breaks', Buffer.from('a\r\nb\u2028c'), 'a\\x0d\\x0ab\\u2028c'],
  ['text turned around', Buffer.from('exe.\u202etxt'), 'exe.\\u202etxt'],
  ['C1 control characters', Buffer.from('a\u009bb'), 'a\\u009bb'],
  ['ways out', Buffer.from('../../etc/passwd'), '../../etc/passwd'],
  ['the text of an escape', Buffer.from('a\\x0ab'), 'a\\x5cx0ab'],
  ['the text of an escaped mark', Buffer.from('exe.\\u202etxt'), 'exe.\\x5cu202etxt'],
  ['the text of an escaped backslash', Buffer.from('a\\x5cx0ab'), 'a\\x5cx5cx0ab'],
])('shows %s safely', (_name, bytes, text) => {
  expect(pathText(bytes)).toBe(text)
})

test.each([
  ['a line break', Buffer.from('a\nb')],
  ['a byte that is not UTF-8', Buffer.from('a\xe9b', 'latin1')],
  ['a control character of two bytes', Buffer.from('a\u009bb')],
  ['a mark that reorders text', Buffer.from('a\u202eb')],
])('shows a name with %s unlike the name that spells its escape', (_name, bytes) => {
  const shown = pathText(bytes)
  expect(pathText(Buffer.from(shown))).not.toBe(shown)
})

test('shows two names alike only if their bytes are the same', () => {
  const part = fc.constantFrom('a', '0', 'x', 'x0a', 'u202e', '5c', '\\', '\n', '\x7f', '\u0085', '\u202e', 'é', '🏠')
  const bytes = fc.oneof(
    part.map((text) => Buffer.from(text)),
    fc.constantFrom(0x85, 0x9b, 0xe2, 0xe9, 0xff).map((byte) => Buffer.from([byte])),
  )
  const name = fc.array(bytes, { maxLength: 6 }).map((parts) => Buffer.concat(parts))
  fc.assert(
    fc.property(name, (given) => {
      expect(bytesOf(pathText(given))).toEqual(given)
    }),
    { numRuns: 2_000 },
  )
})

/** Reads a shown name back: each escape stands for one byte or character, and everything else for itself. */
function bytesOf(shown: string): Buffer {
  const escapes = /\\x(0[0-9a-f]|1[0-9a-f]|5c|7f|[89a-f][0-9a-f])|\\u(00[89][0-9a-f]|20[0-9a-f]{2}|feff)|[^]/gu
  return Buffer.concat(
    Array.from(shown.matchAll(escapes), ([text, byte, code]) => {
      if (byte !== undefined) return Buffer.from([Number.parseInt(byte, 16)])
      return Buffer.from(code === undefined ? text : String.fromCharCode(Number.parseInt(code, 16)))
    }),
  )
}
