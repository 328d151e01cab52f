import { expect, test } from 'vitest'
import { sortBy } from '../src/sort-by.ts'

test('sorts', () => {
  sortBy([3, 1, 2], (number) => number)
  expect(true).toBe(true)
  expect([1, 2, 3]).toHaveLength(3)
})
