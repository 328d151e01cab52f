import { expect, test } from 'vitest'
import { storableJson, storableJsonText } from './storable-json.ts'

// Written as code points, so that no editor or tool can confuse a character with its escape.
const nul = String.fromCharCode(0)
const loneSurrogate = String.fromCharCode(0xd800)
const replacement = String.fromCharCode(0xfffd)
const backslash = String.fromCharCode(0x5c)

test.each([
  ['a NUL', `a${nul}b`, `a${replacement}b`],
  ['a lone surrogate', `a${loneSurrogate}b`, `a${replacement}b`],
  ['a NUL after a backslash', `${backslash}${nul}`, `${backslash}${replacement}`],
  ['the six characters of an escaped NUL', `${backslash}u0000`, `${backslash}u0000`],
  ['the six characters of an escaped surrogate', `${backslash}ud800`, `${backslash}ud800`],
  ['an escaped NUL after a backslash', `${backslash}${backslash}u0000`, `${backslash}${backslash}u0000`],
  ['a surrogate pair', '🏠', '🏠'],
])('stores %s in strings and keys', (_name, text, stored) => {
  const value = { [text]: [text, { text, count: 1, none: null, yes: true }] }
  const expected = { [stored]: [stored, { text: stored, count: 1, none: null, yes: true }] }
  expect(JSON.parse(storableJson(value))).toEqual(expected)
  expect(JSON.parse(storableJsonText(JSON.stringify(value)))).toEqual(expected)
})

test('distinguishes a NUL from its six-character escape', () => {
  const text = `${nul}${backslash}u0000`
  expect(JSON.parse(storableJson(text))).toBe(`${replacement}${backslash}u0000`)
})

test('writes dates like JSON.stringify and omits undefined values', () => {
  const at = new Date(0)
  expect(storableJson({ at, absent: undefined, text: nul })).toBe(
    JSON.stringify({ at: at.toISOString(), text: replacement }),
  )
})
