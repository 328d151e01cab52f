import { expect, test } from 'vitest'
import { findOutage, isExcused, usualFailures } from './outages.ts'
import { defaultPolicy } from './policy.ts'

const find = (totalTests: number, errors: Record<string, number>, usual: number | null = 3, isLater = false) => {
  const counts = new Map(Object.entries(errors))
  const tests = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return findOutage(
    { totalTests, tests, errors: counts },
    usual === null ? null : { tests: usual, isLater },
    defaultPolicy,
  )
}

test.each([
  ['a few failures', 800, { a: 3 }, null],
  ['a fifth of all tests', 100, { a: 10, b: 10 }, 'mass'],
  ['a fifth of very few tests', 9, { a: 2 }, null],
  ['one error of many tests', 800, { a: 8, b: 2 }, 'incident'],
  [
    'different errors of many tests',
    800,
    Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index, 1])),
    'burst',
  ],
  ['as many different errors as usual', 800, { a: 5, b: 5 }, null],
])('%s', (_, totalTests, errors, kind) => expect(find(totalTests, errors)?.kind ?? null).toBe(kind))

test('a project in which many tests usually fail has a burst only far above that', () => {
  const errors = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index, 1]))
  expect(find(800, errors, 12)).toBeNull()
  expect(find(800, errors, 10)).toMatchObject({ kind: 'burst', tests: 40, usual: 10 })
  expect(find(800, errors, null)).toMatchObject({ kind: 'burst', usual: 0 })
})

test('an incident excuses the failures with its error, the others every failure', () => {
  const incident = find(800, { shared: 9, own: 1 }, 5)
  expect([isExcused(incident, 'shared'), isExcused(incident, 'own'), isExcused(incident, null)]).toEqual([
    true,
    false,
    false,
  ])
  expect(isExcused(find(800, { a: 60 }), null)).toBe(true)
  expect(isExcused(null, 'shared')).toBe(false)
})

test('tests that always fail are no outage, but twice as many are', () => {
  expect(find(100, { a: 30 }, 28)?.kind).not.toBe('mass')
  expect(find(100, { a: 60 }, 28)?.kind).toBe('mass')
  expect(find(100, { a: 30 }, null)?.kind).toBe('mass')
  expect(find(100, { a: 30 }, 28, true)?.kind).toBe('burst')
})

test('the usual number of failures is the median of the last 50 runs; the first five are compared with each other', () => {
  expect(usualFailures([1, 2, 3, 4], 4)).toBeNull()
  expect(usualFailures([9, 1, 5, 3, 7], 5)).toEqual({ tests: 5, isLater: false })
  expect(usualFailures([9, 1, 5, 3, 7, 99], 4)).toEqual({ tests: 5, isLater: true })
  const counts = [...Array.from({ length: 100 }, () => 50), ...Array.from({ length: 50 }, () => 2)]
  expect([usualFailures(counts, 150)?.tests, usualFailures(counts, 100)?.tests]).toEqual([2, 50])
})
