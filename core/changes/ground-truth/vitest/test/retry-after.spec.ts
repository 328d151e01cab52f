import { expect, test } from 'vitest'
import { delayOf } from '../src/retry-after.ts'

test('doubles the delay', () => {
  expect([1, 2, 3].map((attempt) => delayOf(attempt))).toEqual([200, 400, 800])
  expect(delayOf(1, { base: 10 })).toBe(20)
})

test('waits no longer than the limit', () => {
  expect(delayOf(7)).toBe(10_000)
  expect(delayOf(3, { limit: 500 })).toBe(500)
})

test('stops in the end', () => {
  expect(delayOf(8)).toBe(10_000)
  expect(delayOf(9)).toBeUndefined()
  expect(delayOf(3, { attempts: 2 })).toBeUndefined()
})
