import { expect, test } from 'vitest'
import { afterAnswer, breakerRules as rules, type Health, healthy, reasonToDisable, capacityOf } from './breaker.ts'

const good = { responseStatus: 200, error: null, retryAfterMs: null }
const bad = { responseStatus: 503, error: null, retryAfterMs: null }
const start = new Date('2026-11-20T12:00:00Z')
const later = (ms: number) => new Date(start.getTime() + ms)

/** Simulates failures, each as soon as the breaker allows an attempt, and returns the pauses in seconds. */
function fail(times: number): { health: Health; pauses: number[] } {
  let health = healthy
  let at = start
  const pauses: number[] = []
  for (let failure = 0; failure < times; failure++) {
    health = afterAnswer(health, bad, at, rules)
    if (!health.openUntil) continue
    pauses.push((health.openUntil.getTime() - at.getTime()) / 1_000)
    at = health.openUntil
  }
  return { health, pauses }
}

test('opens for 30 seconds after ten failures in a row, then twice as long each time, at most ten minutes', () => {
  expect(fail(9).pauses).toEqual([])
  expect(capacityOf(fail(9).health, start, 16, rules)).toBe(16)
  expect(fail(17).pauses).toEqual([30, 60, 120, 240, 480, 600, 600, 600])
  expect(fail(5_000).pauses.at(-1)).toBe(600)
})

test('allows one delivery after a pause, until one succeeds', () => {
  const { health } = fail(10)
  expect(capacityOf(health, later(29_999), 16, rules)).toBe(0)
  expect(capacityOf(health, later(30_000), 16, rules)).toBe(1)
  const recovered = afterAnswer(health, good, later(31_000), rules)
  expect(recovered).toEqual(healthy)
  expect(capacityOf(recovered, later(31_000), 16, rules)).toBe(16)
})

test('a failure of a delivery that was in flight when the breaker opened does not extend the pause', () => {
  const { health } = fail(10)
  expect(afterAnswer(health, bad, later(5_000), rules)).toEqual(health)
})

test('deactivates after five days of failures, and a success starts the count again', () => {
  const day = 86_400_000
  const { health } = fail(10)
  expect(reasonToDisable(health, bad, later(5 * day - 1), rules)).toBeUndefined()
  expect(reasonToDisable(health, bad, later(5 * day), rules)).toContain('2026-11-20T12:00:00.000Z')
  expect(reasonToDisable(fail(9).health, bad, later(5 * day), rules)).toBeUndefined()
  const again = { ...health, failingSince: later(2 * day) }
  expect(reasonToDisable(again, bad, later(6 * day), rules)).toBeUndefined()
  expect(reasonToDisable(healthy, { ...bad, responseStatus: 410 }, later(2 * day), rules)).toContain('410')
})
