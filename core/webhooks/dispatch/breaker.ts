import type { WebhookRow } from '../entity.ts'
import { type Answer, isSuccess } from './schedule.ts'

export type Health = Pick<WebhookRow, 'failingSince' | 'failuresInRow' | 'openUntil'>

export interface BreakerRules {
  /** The breaker opens after this many failures in a row. */
  failures: number
  pauseMs: number
  maxPauseMs: number
  /** The webhook is deactivated when it has failed for so long and its breaker would open. */
  disableAfterMs: number
}

export const breakerRules: BreakerRules = {
  failures: 10,
  pauseMs: 30_000,
  maxPauseMs: 600_000,
  disableAfterMs: 5 * 86_400_000,
}

export const healthy: Health = { failingSince: null, failuresInRow: 0, openUntil: null }

/**
 * Returns the health of an endpoint after one more response. A failure while the breaker is open changes nothing, since
 * the request was sent before: only the first attempt after each pause makes the next pause longer.
 */
export function afterAnswer(health: Health, answer: Answer, at: Date, rules: BreakerRules): Health {
  if (isSuccess(answer)) return healthy
  const failingSince = health.failingSince ?? at
  if (isOpen(health, at)) return { ...health, failingSince }
  const failuresInRow = health.failuresInRow + 1
  const beyond = failuresInRow - rules.failures
  if (beyond < 0) return { failingSince, failuresInRow, openUntil: null }
  // The exponent is limited, because 2 ** n would become infinite.
  const pauseMs = Math.min(rules.pauseMs * 2 ** Math.min(beyond, 32), rules.maxPauseMs)
  return { failingSince, failuresInRow, openUntil: new Date(at.getTime() + pauseMs) }
}

/** Returns how many deliveries may be in flight: none while the breaker is open, then one until an attempt succeeds. */
export function capacityOf(health: Health, at: Date, cap: number, rules: BreakerRules): number {
  if (isOpen(health, at)) return 0
  return health.failuresInRow >= rules.failures ? 1 : cap
}

/** Returns why a webhook is deactivated after this response; undefined if it stays active. */
export function reasonToDisable(
  { failingSince, failuresInRow }: Health,
  { responseStatus }: Answer,
  at: Date,
  rules: BreakerRules,
): string | undefined {
  if (responseStatus === 410) return 'The receiver answered 410: it is permanently gone.'
  // A few failures with long gaps between them do not prove that the receiver is gone.
  if (failingSince === null || failuresInRow < rules.failures) return undefined
  if (at.getTime() - failingSince.getTime() < rules.disableAfterMs) return undefined
  return `Every delivery has failed since ${failingSince.toISOString()}.`
}

const isOpen = ({ openUntil }: Health, at: Date) => openUntil !== null && openUntil > at
