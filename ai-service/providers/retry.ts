import { setTimeout as wait } from 'node:timers/promises'
import { ProviderFailure } from './failure.ts'

export interface RetryBudget {
  /** Shared by all requests for one answer. */
  retriesLeft: number
  /** On the clock of `performance.now()`. */
  deadline: number
  signal: AbortSignal
}

export interface RetryTiming {
  retries: number
  /** The first wait. Each further wait doubles it. */
  firstWaitMs: number
  maxWaitMs: number
  /** 0 to 1. */
  random: () => number
}

export const usualTiming: RetryTiming = { retries: 4, firstWaitMs: 500, maxWaitMs: 8_000, random: Math.random }

/**
 * Retries temporary failures: after the wait that the provider requests, or with exponential backoff and jitter. Gives up
 * if the wait exceeds the remaining time.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  budget: RetryBudget,
  timing: RetryTiming,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (budget.signal.aborted || !(error instanceof ProviderFailure) || !error.isTemporary) throw error
      const backoff = Math.min(timing.firstWaitMs * 2 ** failures, timing.maxWaitMs)
      const waitMs = error.retryAfterMs ?? backoff * (0.5 + timing.random() / 2)
      if (budget.retriesLeft === 0) throw error
      if (performance.now() + waitMs >= budget.deadline) throw withWait(error)
      budget.retriesLeft--
      await wait(waitMs, undefined, { signal: budget.signal })
    }
  }
}

function withWait(failure: ProviderFailure): ProviderFailure {
  const { message, retryAfterMs, detail } = failure
  if (retryAfterMs === undefined) return failure
  return new ProviderFailure(`${message} Retry after ${Math.ceil(retryAfterMs / 1_000)} s.`, {
    ...(detail !== undefined && { detail }),
    retryAfterMs,
  })
}
