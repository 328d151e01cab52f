import { expect, test } from 'vitest'
import { normalizeError } from './normalize-error.ts'

test.each([
  ['expected 3 to equal 4', 'expected 17 to equal -4.5'],
  ['user 6f9619ff-8b86-d011-b42d-00c04fc964ff is gone', 'user 7a1c19ff-8b86-d011-b42d-00c04fc96400 is gone'],
  ['segfault at 0x7ffe12ab', 'segfault at 0x00001'],
  ['com.acme.Money@1b6d3586 is null', 'com.acme.Money@4554617c is null'],
  ['Timed out after 5000ms', 'Timed out after 5.1 s'],
  ['started 2026-11-20T10:00:00.123Z', 'started 2025-01-02 23:59:59'],
  ["no such file '/tmp/pytest-of-me/pytest-3/a.txt'", "no such file '/tmp/other/b.txt'"],
  ['connect ECONNREFUSED 127.0.0.1:43211', 'connect ECONNREFUSED localhost:8080'],
  ['key "a8f5f167f44f4964e6c998dee827110c" is unknown', 'key "0cc175b9c0f1b6a831c399e269772661" is unknown'],
  ['\u001b[31mexpected true\u001b[0m', 'expected true'],
  ['no money\n    at a.ts:3:4\n    at b.ts:5:6', 'no money\n    at c.ts:9:9'],
  ['  many   spaces ', 'many spaces'],
])('groups %j and %j as one error', (one, other) => {
  expect(normalizeError(one)).toEqual(normalizeError(other))
})

test.each([
  ['expected true to be false', 'expected false to be true'],
  ['no such table users', 'no such table orders'],
  ["Cannot read 'a' of undefined", "Cannot read 'b' of undefined"],
  ['TypeError: x', 'RangeError: x'],
  ['utf8 is expected', 'utf16 is expected'],
])('groups %j and %j as two errors', (one, other) => {
  expect(normalizeError(one).hash).not.toBe(normalizeError(other).hash)
})

test('keeps the shown error readable and short', () => {
  expect(normalizeError('AssertionError: expected 3 to equal 4').text).toBe(
    'AssertionError: expected <number> to equal <number>',
  )
  expect(normalizeError(null).text).toBe('')
  expect(normalizeError('word '.repeat(100_000)).text.length).toBeLessThanOrEqual(500)
})

test.each([
  '1'.repeat(200_000),
  'a1-'.repeat(70_000),
  '"'.repeat(200_000),
  '/tmp/'.repeat(40_000),
  '1:1:'.repeat(50_000),
])('bounds hostile texts', (text) => {
  expect(normalizeError(text).text.length).toBeLessThanOrEqual(500)
})
