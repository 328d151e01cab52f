import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanDeep, cleanLine, cleanName, cleanText, escapeHidden, fence, shorten } from './sanitize.ts'

const hiddenCharacters = [
  '\u0000', // control
  '\u0007',
  '\u001b',
  '\u009b',
  '\u00ad', // soft hyphen
  '\u034f', // grapheme joiner
  '\u061c', // bidirectional marks and overrides
  '\u200e',
  '\u202e',
  '\u2066',
  '\u200b', // zero width
  '\u2060',
  '\ufeff',
  '\u180e',
  '\u2028', // separators
  '\u2029',
  '\u3164', // fillers
  '\u115f',
  '\ufe0f', // variation selectors
  '\u{e0100}',
  '\u{e0041}', // tags
  '\ufff9', // annotation
  '\ud800', // lone surrogate
]
const hidden = fc.constantFrom(...hiddenCharacters)
const hostile = fc
  .array(
    fc.oneof(
      hidden,
      fc.constantFrom('`', '```', '~~~~', '\n', '\r', '\t', ' ', 'a', '"', '{'),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

const hiddenBesidesTabAndNewline = /(?![\t\n])(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point})/u

test.each(hiddenCharacters.map((character) => [character.codePointAt(0)?.toString(16), character]))(
  'the hidden character U+%s gets into no text, line or name',
  (_code, character) => {
    for (const clean of [cleanText, cleanLine, cleanName]) expect(clean(`a${character}b`)).not.toContain(character)
  },
)

test('removes hidden characters from any text', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      for (const clean of [cleanText, cleanLine, cleanName]) expect(clean(text)).not.toMatch(hiddenBesidesTabAndNewline)
    }),
  )
})

test('cleaning is idempotent', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      for (const clean of [cleanText, cleanLine, cleanName]) expect(clean(clean(text))).toBe(clean(text))
    }),
  )
})

test('keeps ordinary text in any script', () => {
  const code = 'const größe = { "名前": `x` }\n\treturn größe // 👍 שלום'
  expect(cleanText(code)).toBe(code)
  expect(cleanName('src/größe/名前.ts')).toBe('src/größe/名前.ts')
})

test('marks hidden characters in a name instead of removing them', () => {
  expect(cleanName('src/a\u202ets.exe')).toBe('src/a\ufffdts.exe')
  expect(cleanName('src/a\nb.ts')).toBe('src/a\ufffdb.ts')
})

test('removes whole terminal escape sequences', () => {
  expect(cleanText('\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link')).toBe('red link')
})

test('removes line breaks and code fences from a line', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(cleanLine(text)).not.toMatch(/[\n\t]|`{3}|~{3}/)
    }),
  )
})

test('wraps code in a fence that it cannot close', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const lines = fence(cleanText(text)).split('\n')
      const marks = lines[0] ?? ''
      expect(marks).toMatch(/^`{3,}$/)
      expect(lines.at(-1)).toBe(marks)
      for (const line of lines.slice(1, -1)) expect(line).not.toContain(marks)
    }),
  )
})

test('shortens to a number of JSON bytes and never splits a character', () => {
  expect(shorten('ab👍', 6)).toBe('ab👍')
  expect(shorten('ab👍c', 6)).toBe('ab…')
  expect(shorten('abcdef', 5)).toBe('ab…')
  expect(shorten('a"b"c"', 6)).toBe('a"…')
  fc.assert(
    fc.property(hostile, fc.integer({ min: 3, max: 40 }), (text, maximum) => {
      const short = shorten(cleanText(text), maximum)
      expect(Buffer.byteLength(JSON.stringify(short)) - 2).toBeLessThanOrEqual(maximum)
      expect(short.isWellFormed()).toBe(true)
    }),
  )
})

test('cleans nested structures with their keys', () => {
  expect(cleanDeep({ 'a\u200b': ['x\u202ey', { b: '\u0000', n: 1, nothing: null, yes: true }] })).toEqual({
    a: ['xy', { b: '', n: 1, nothing: null, yes: true }],
  })
})

test('escapes hidden characters in JSON without changing its value', () => {
  fc.assert(
    fc.property(fc.dictionary(hostile, hostile), (value) => {
      const json = escapeHidden(JSON.stringify(value))
      expect(JSON.parse(json)).toEqual(value)
      for (const character of json) expect(hiddenCharacters).not.toContain(character)
    }),
  )
})
