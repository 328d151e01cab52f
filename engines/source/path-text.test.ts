import { expect, test } from 'vitest'
import { pathText } from './path-text.ts'

test.each([
  ['plain text', Buffer.from('src/häuser 🏠.ts'), 'src/häuser 🏠.ts'],
  ['a literal backslash', Buffer.from('foo\\x2dbar.mount'), 'foo\\x2dbar.mount'],
  ['Latin-1', Buffer.from('caf\xe9.txt', 'latin1'), 'caf\\xe9.txt'],
  ['Latin-1 among UTF-8', Buffer.concat([Buffer.from('ä/'), Buffer.from([0xe9, 0x2e])]), 'ä/\\xe9.'],
  ['half a character', Buffer.from([0x61, 0xf0, 0x9f]), 'a\\xf0\\x9f'],
  ['an encoded surrogate', Buffer.from([0xed, 0xa0, 0x80]), '\\xed\\xa0\\x80'],
  ['terminal commands', Buffer.from('a\x1b[31mred\x07'), 'a\\x1b[31mred\\x07'],
  ['line breaks', Buffer.from('a\r\nb\u2028c'), 'a\\x0d\\x0ab\\u2028c'],
  ['text turned around', Buffer.from('exe.\u202etxt'), 'exe.\\u202etxt'],
  ['C1 control characters', Buffer.from('a\u009bb'), 'a\\x9bb'],
  ['ways out', Buffer.from('../../etc/passwd'), '../../etc/passwd'],
])('shows %s safely', (_name, bytes, text) => {
  expect(pathText(bytes)).toBe(text)
})
