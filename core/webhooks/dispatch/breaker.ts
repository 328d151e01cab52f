import type { WebhookRow } from '../entity.ts'
import { type Answer, isSuccess } from './schedule.ts'

export type Health = Pick<WebhookRow, 'failingSince' | 'failuresInRow' | 'openUntil'>

export interface BreakerRules {
  /** So many failures in a row, and nothing is sent for a while. */
  failures: number
  pauseMs: number
  longestPauseMs: number
  /** Failing for so long, and so often in a row, deactivates the webhook. */
  giveUpMs: number
}

export const breakerRules: BreakerRules = {
  failures: 10,
  pauseMs: 30_000,
  longestPauseMs: 600_000,
  giveUpMs: 5 * 86_400_000,
}

export const healthy: Health = { failingSince: null, failuresInRow: 0, openUntil: null }

/**
 * The endpoint after one more answer. What was under way when it was left alone tells nothing new when it fails: only
 * the first attempt after each pause makes the next pause longer.
 */
export function afterAnswer(health: Health, answer: Answer, at: Date, rules: BreakerRules): Health {
  if (isSuccess(answer)) return healthy
  const failingSince = health.failingSince ?? at
  if (isOpen(health, at)) return { ...health, failingSince }
  const failuresInRow = health.failuresInRow + 1
  const beyond = failuresInRow - rules.failures
  if (beyond < 0) return { failingSince, failuresInRow, openUntil: null }
  // Doubling without end would leave the range of numbers long before anybody looks.
  const pauseMs = Math.min(rules.pauseMs * 2 ** Math.min(beyond, 32), rules.longestPauseMs)
  return { failingSince, failuresInRow, openUntil: new Date(at.getTime() + pauseMs) }
}

/** How many deliveries may be under way at once: none during a pause, one until the endpoint succeeds again. */
export function roomOf(health: Health, at: Date, cap: number, rules: BreakerRules): number {
  if (isOpen(health, at)) return 0
  return health.failuresInRow >= rules.failures ? 1 : cap
}

/** Why a webhook is deactivated after this answer, if it is. */
export function reasonToDisable(
  { failingSince, failuresInRow }: Health,
  { responseStatus }: Answer,
  at: Date,
  rules: BreakerRules,
): string | undefined {
  if (responseStatus === 410) return 'The receiver answered 410: it is gone for good.'
  // A few failures, far apart, are no proof.
  if (failingSince === null || failuresInRow < rules.failures) return undefined
  if (at.getTime() - failingSince.getTime() < rules.giveUpMs) return undefined
  return `Every delivery has failed since ${failingSince.toISOString()}.`
}

const isOpen = ({ openUntil }: Health, at: Date) => openUntil !== null && openUntil > at
