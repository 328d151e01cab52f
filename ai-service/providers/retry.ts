import { setTimeout as wait } from 'node:timers/promises'
import { ProviderFailure } from './failure.ts'

export interface Patience {
  /** Shared by all that is asked for one answer. */
  retriesLeft: number
  /** On the clock of `performance.now()`. */
  deadline: number
  signal: AbortSignal
}

export interface RetryTiming {
  retries: number
  /** Of the first wait; each further one doubles it. */
  firstWaitMs: number
  longestWaitMs: number
  /** 0 to 1. */
  random: () => number
}

export const usualTiming: RetryTiming = { retries: 4, firstWaitMs: 500, longestWaitMs: 8_000, random: Math.random }

/**
 * Tries again what may pass: after the wait that the provider asks for, else after one that doubles and is shortened at
 * random, so that many callers do not return at once. It gives up where the wait would outlast the time that is left.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  patience: Patience,
  timing: RetryTiming,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (patience.signal.aborted || !(error instanceof ProviderFailure) || !error.passes) throw error
      const backoff = Math.min(timing.firstWaitMs * 2 ** failures, timing.longestWaitMs)
      const waitMs = error.retryAfterMs ?? backoff * (0.5 + timing.random() / 2)
      if (patience.retriesLeft === 0) throw error
      if (performance.now() + waitMs >= patience.deadline) throw withWait(error)
      patience.retriesLeft--
      await wait(waitMs, undefined, { signal: patience.signal })
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
