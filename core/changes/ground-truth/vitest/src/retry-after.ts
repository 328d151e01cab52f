/** Returns for how many milliseconds to wait before the next attempt; undefined if there is none. */
export function delayOf(attempt: number, { base = 100, limit = 10_000, attempts = 8 } = {}): number | undefined {
  if (attempt > attempts) return undefined
  return Math.min(limit, base * 2 ** attempt)
}
