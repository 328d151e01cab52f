import { setTimeout as sleep } from 'node:timers/promises'

export interface CachedCheck<Result> {
  /** Never rejects: a failure is a result. */
  check: () => Promise<Result>
  /** The result while the check takes longer than `timeoutMs`. */
  late: Result
  timeoutMs: number
  /** How long a result is reused. */
  cacheMs: number
}

/**
 * Returns a check that callers may run at any rate: at most one check runs at a time, its result is cached, and no call
 * takes longer than `timeoutMs`.
 */
export function cachedCheck<Result>({ check, late, timeoutMs, cacheMs }: CachedCheck<Result>): () => Promise<Result> {
  let cached: { result: Result; until: number } | undefined
  let running: Promise<Result> | undefined
  const run = async () => {
    const result = await check()
    cached = { result, until: performance.now() + cacheMs }
    running = undefined
    return result
  }
  return async () => {
    if (cached && performance.now() < cached.until) return cached.result
    running ??= run()
    const answered = new AbortController()
    try {
      return await Promise.race([running, sleep(timeoutMs, late, { signal: answered.signal })])
    } finally {
      answered.abort()
    }
  }
}
