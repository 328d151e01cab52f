import { expect, test } from 'vitest'
import { verificationProgress } from '../../client/progress.ts'
import type { Verification } from '../../core/verifications/schema.ts'
import { risingProgress } from './rising-progress.ts'

const at = (phase: NonNullable<Verification['progress']>['phase'], done = 0, total = 0) =>
  verificationProgress({ status: 'running', progress: { phase, done, total } })

test('a phase that comes again still raises the number, and never to the end', () => {
  const rising = risingProgress()
  const steps = [at('mutating', 20, 20), at('repeating', 1, 5), at('repeating', 2, 5), at('comparing', 0, 8)]
  const heard = [...steps, ...Array.from({ length: 50 }, (_, run) => at('repeating', run, 50))].map(rising)
  const numbers = heard.map((progress) => progress?.done ?? NaN)
  expect(heard.slice(0, 3).map((progress) => progress?.message)).toEqual([
    'mutating: 20 of 20 runs',
    'repeating: 1 of 5 runs',
    'repeating: 2 of 5 runs',
  ])
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
  expect(numbers.at(-1)).toBeLessThan(heard[0]?.total ?? 0)
  expect(rising({ ...at('judging'), done: 100, total: 8 })).toMatchObject({ done: 100 })
  expect(rising(at('mutating', 1, 20))).toBeNull()
})

test('the same news is not repeated', () => {
  const rising = risingProgress()
  expect(rising(at('building'))).toMatchObject({ message: 'building' })
  expect(rising(at('building'))).toBeNull()
})
