import { expect, test } from 'vitest'
import { strengthOf } from './interval.ts'

const sample = (noticed: number, tried: number, possible: number, undecided = 0) =>
  strengthOf({ noticed, tried, undecided, possible })

test('says how much a sample tells of all mutants', () => {
  expect(sample(8, 10, 100_000)).toEqual({ percent: 80, interval: [49, 94.3] })
  expect(sample(800, 1_000, 1_000_000)).toEqual({ percent: 80, interval: [77.4, 82.4] })
  expect(sample(10, 10, 100_000)).toEqual({ percent: 100, interval: [72.2, 100] })
  expect(sample(0, 3, 100_000)).toEqual({ percent: 0, interval: [0, 56.2] })
})

test('is certain if every mutant was tried, and nearly so if few were not', () => {
  expect(sample(22, 31, 31)).toEqual({ percent: 71, interval: [71, 71] })
  expect(sample(0, 0, 0)).toBeNull()
  const [low = 0, high = 0] = sample(80, 100, 102)?.interval ?? []
  expect(high - low).toBeLessThan(4)
})

test('what some tests accept and others have not tried counts as accepted at the lower end', () => {
  // Measured: 305 of 321 noticed when the time was over, 330 of 358 in the end.
  expect(sample(305, 321, 357, 36)).toEqual({ percent: 95, interval: [85.4, 95.5] })
  const [low = 0, high = 0] = sample(305, 321, 1_000, 36)?.interval ?? []
  expect(low).toBeLessThan(85.4)
  expect(high).toBeGreaterThan(95.5)
})
