import { expect, test } from 'vitest'
import { cutSource } from './cut-source.ts'

const text = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}`).join('\n')

test('includes a small file completely, and omits an empty one', () => {
  expect(cutSource('a.ts', text, [], 100_000)).toEqual([{ path: 'a.ts', content: text }])
  expect(cutSource('a.ts', '', [], 100_000)).toEqual([])
})

test('includes the beginning of a larger file, and the requested lines with context', () => {
  const ranges = [
    { startLine: 900, endLine: 910 },
    { startLine: 500, endLine: 510 },
    { startLine: 505, endLine: 530 },
  ]
  const cut = cutSource('a.ts', text, ranges, 4_000)
  expect(cut.map(({ startLine, content }) => [startLine, content.split('\n').length])).toEqual([
    [1, 40],
    [485, 51],
    [885, 31],
  ])
  expect(cut[1]?.content.split('\n')[0]).toBe('line 485')
})

test('never exceeds the byte limit', () => {
  const bytes = (maxBytes: number, of = text) =>
    cutSource('a.ts', of, [{ startLine: 1, endLine: 1_000 }], maxBytes).reduce(
      (sum, { content }) => sum + Buffer.byteLength(content),
      0,
    )
  for (const max of [0, 1, 7, 100, 5_000]) expect(bytes(max)).toBeLessThanOrEqual(max)
  expect(bytes(5_000)).toBeGreaterThan(4_900)
  expect(bytes(100, 'ü'.repeat(1_000))).toBe(0)
})
