import { describe, expect, it } from 'vitest'
import { chunk } from '../src/chunk.ts'

describe('chunk', () => {
  it('makes whole pieces', () => {
    expect(chunk([1, 2, 3, 4], 2)).toEqual([
      [1, 2],
      [3, 4],
    ])
  })
  it('keeps what is left over', () => {
    expect(chunk([1, 2, 3], 2)).toEqual([[1, 2], [3]])
    expect(chunk([1], 5)).toEqual([[1]])
  })
  it('makes none of nothing', () => {
    expect(chunk([], 3)).toEqual([])
  })
  it.each([0, -1, 1.5])('refuses pieces of %d', (size) => {
    expect(() => chunk([1], size)).toThrow(RangeError)
  })
})
