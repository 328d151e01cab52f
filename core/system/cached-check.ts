import { setTimeout as sleep } from 'node:timers/promises'

export interface KeptCheck<Result> {
  /** Never rejects: a failure is a result. */
  look: () => Promise<Result>
  /** What is said while the look takes longer than `patienceMs`. */
  late: Result
  patienceMs: number
  /** How long a result is good for. */
  keptMs: (result: Result) => number
}

/**
 * A check that anybody may ask for at any rate: one look is under way at most, its result is kept for a while, and
 * nobody waits for it longer than `patienceMs`.
 */
export function keptCheck<Result>({ look, late, patienceMs, keptMs }: KeptCheck<Result>): () => Promise<Result> {
  let kept: { result: Result; until: number } | undefined
  let underWay: Promise<Result> | undefined
  const lookAnew = async () => {
    const result = await look()
    kept = { result, until: performance.now() + keptMs(result) }
    underWay = undefined
    return result
  }
  return async () => {
    if (kept && performance.now() < kept.until) return kept.result
    underWay ??= lookAnew()
    const answered = new AbortController()
    try {
      return await Promise.race([underWay, sleep(patienceMs, late, { signal: answered.signal })])
    } finally {
      answered.abort()
    }
  }
}
