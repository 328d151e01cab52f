import { expect, test } from 'vitest'
import { changeSince, type Strength, strengthOf } from './interval.ts'

/** Results in an order that is drawn by lot: of every 100, 71 are noticed. */
const drawn = (count: number) => Array.from({ length: count }, (_, index) => (index * 37) % 100 < 71)
const unknown = (count: number) => Array.from({ length: count }, () => null)

test('is certain if every mutant was tried', () => {
  expect(strengthOf(drawn(100))).toEqual({ percent: 71, interval: [71, 71] })
  expect(strengthOf([])).toBeNull()
  expect(strengthOf([null, null])).toBeNull()
})

test('says how much a sample tells of all mutants', () => {
  expect(strengthOf([...drawn(100), ...unknown(100_000)])).toEqual({ percent: 71, interval: [61.5, 79] })
  const [low = 0, high = 0] = strengthOf([...drawn(100), ...unknown(2)])?.interval ?? []
  expect(high - low).toBeLessThan(4)
})

test('what is not known counts as accepted at the lower end, and as noticed at the upper end', () => {
  expect(strengthOf([true, null, true, null])).toEqual({ percent: 100, interval: [50, 100] })
  // Twelve are reached, ten of them were dropped.
  const dropped = [true, true, ...unknown(10)].toSorted()
  expect(strengthOf(dropped)?.interval[0]).toBeLessThan(30)
})

test('the interval does not depend on which mutants were tried first', () => {
  // A quarter of the tries is drawn by lot, the others are the ones that tests accept most often.
  const all = Array.from({ length: 2_000 }, (_, index) => ({ isNoticed: (index * 37) % 100 < 70, index }))
  const likely = new Set(all.filter(({ isNoticed }) => !isNoticed).slice(0, 300))
  const tried = all.map((one) => (one.index < 200 || likely.has(one) ? one.isNoticed : null))
  const strength = strengthOf(tried)
  expect(strength?.percent).toBeLessThan(45)
  const [low = 0, high = 0] = strength?.interval ?? []
  expect([low < 70, high > 70, high - low < 40]).toEqual([true, true, true])
})

test.each<[before: Strength, now: Strength, change: number | null]>([
  [{ percent: 70, interval: [70, 70] }, { percent: 75.1, interval: [75.1, 75.1] }, 5.1],
  [{ percent: 75, interval: [75, 75] }, { percent: 75, interval: [75, 75] }, 0],
  [{ percent: 70, interval: [60, 72] }, { percent: 75, interval: [74, 76] }, 5],
  [{ percent: 75, interval: [74, 76] }, { percent: 70, interval: [60, 72] }, -5],
  [{ percent: 75, interval: [0.5, 99.8] }, { percent: 49.2, interval: [49.2, 49.2] }, null],
  [{ percent: 70, interval: [60, 74] }, { percent: 80, interval: [74, 90] }, null],
])('compares %j with %j', (before, now, change) => {
  expect(changeSince(before, now)).toBe(change)
})
