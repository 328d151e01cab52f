import { unavailable } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { PoolQueue } from '../base/pool.ts'

/** Throws for a request that the server could not answer soon, before the request uses any resources. */
export type Admit = () => void

export interface AdmissionLimits {
  /** The number of database calls that may wait for a connection. */
  maxWaiting: number
  /** The time that the first of them may have waited. */
  maxWaitMs: number
}

const retryAfterSeconds = 2
const warnEveryMs = 60_000

/**
 * Refuses requests while the queue for database connections is too long or too slow. The length bounds a burst, which
 * comes faster than waits can be measured; the wait bounds the queue of a slow database.
 *
 * @throws AppError 503 with `Retry-After`
 */
export function createAdmission(queue: PoolQueue, { maxWaiting, maxWaitMs }: AdmissionLimits, log: Logger): Admit {
  let refused = 0
  let warnedAt = -Infinity
  return () => {
    if (queue.length < maxWaiting && queue.headWaitMs() < maxWaitMs) return
    refused++
    const now = performance.now()
    if (now - warnedAt >= warnEveryMs) {
      log.warn({ refused, waiting: queue.length }, 'requests are refused because the database is overloaded')
      warnedAt = now
      refused = 0
    }
    throw unavailable(`The server is overloaded. Try again in ${retryAfterSeconds} s.`, retryAfterSeconds)
  }
}
