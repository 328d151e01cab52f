import { expect, test } from 'vitest'
import { strengthOf } from './interval.ts'

test('says how much a sample tells of all mutants', () => {
  expect(strengthOf(8, 10, 100_000)).toEqual({ percent: 80, interval: [49, 94.3] })
  expect(strengthOf(800, 1_000, 1_000_000)).toEqual({ percent: 80, interval: [77.4, 82.4] })
  expect(strengthOf(10, 10, 100_000)).toEqual({ percent: 100, interval: [72.2, 100] })
  expect(strengthOf(0, 3, 100_000)).toEqual({ percent: 0, interval: [0, 56.2] })
})

test('is certain if every mutant was tried, and nearly so if few were not', () => {
  expect(strengthOf(22, 31, 31)).toEqual({ percent: 71, interval: [71, 71] })
  expect(strengthOf(0, 0, 0)).toBeNull()
  const [low = 0, high = 0] = strengthOf(80, 100, 102)?.interval ?? []
  expect(high - low).toBeLessThan(4)
})
