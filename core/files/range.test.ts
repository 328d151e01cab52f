import { expect, test } from 'vitest'
import { readRange } from './range.ts'

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=0-99', 0, 99],
  ['bytes=10-', 10, 99],
  ['bytes=90-5000', 90, 99],
  ['bytes=-1', 99, 99],
  ['bytes=-500', 0, 99],
  ['BYTES= 5-6 ', 5, 6],
])('%j selects a part of a hundred bytes', (header, start, end) =>
  expect(readRange(header, 100)).toEqual({ start, end }),
)

test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=999999999999999-'])('%j cannot be satisfied', (header) =>
  expect(readRange(header, 100)).toBeNull(),
)

test.each([
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=5-4',
  'bytes=a-b',
  'bytes=0x0-1',
  'bytes=1.5-2',
  'bytes=--1',
  'items=0-1',
  'bytes=0-1,5-6',
  `bytes=${'9'.repeat(400)}-`,
  `bytes=${Array.from({ length: 10_000 }, (_, at) => `${at}-${at}`).join(',')}`,
])('%.40j selects the whole file', (header) => expect(readRange(header, 100)).toBeUndefined())

test('no range of an empty file can be satisfied', () => {
  for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-5']) expect(readRange(header, 0)).toBeNull()
})
