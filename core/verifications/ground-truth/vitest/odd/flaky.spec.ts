import { expect, test } from 'vitest'
import { chunk } from '../src/chunk.ts'

test('pieces of any size', () => {
  const size = Math.floor(Math.random() * 3) + 1
  expect(chunk([1, 2, 3, 4], size).every((piece) => piece.length === size)).toBe(true)
})
