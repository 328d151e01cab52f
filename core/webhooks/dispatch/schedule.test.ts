import { expect, test } from 'vitest'
import { judge } from './schedule.ts'

const minute = 60_000
const retryMs = [0, minute, 5 * minute, 30 * minute, 120 * minute, 720 * minute]
const at = new Date('2026-11-20T12:00:00Z')
const unavailable = { responseStatus: 503, error: null, retryAfterMs: null }

const waitAfter = (scheduledAttempts: number, retryAfterMs: number | null = null) => {
  const verdict = judge({ ...unavailable, retryAfterMs }, { retryMs, scheduledAttempts, at })
  return verdict.status === 'pending' ? (verdict.nextAttemptAt.getTime() - at.getTime()) / minute : verdict.status
}

test('waits 1, 5, 30, 120 and 720 minutes between the six attempts', () => {
  expect([1, 2, 3, 4, 5, 6].map((attempts) => waitAfter(attempts))).toEqual([1, 5, 30, 120, 720, 'failed'])
})

test('Retry-After extends a delay up to twice its length, and never shortens it', () => {
  expect(waitAfter(2, 1_000)).toBe(5)
  expect(waitAfter(2, 7 * minute)).toBe(7)
  expect(waitAfter(2, 60 * minute)).toBe(10)
})

test('a delivery that is attempted only once fails at the first failure', () => {
  expect(judge(unavailable, { retryMs, scheduledAttempts: null, at })).toMatchObject({ status: 'failed' })
})
