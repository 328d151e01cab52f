/** Returns the nearest-rank quantiles of durations in milliseconds, or null without a duration. */
export function durationQuantiles(ms: readonly number[]): { p50: number; p95: number } | null {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  const [p50, p95] = [at(0.5), at(0.95)]
  return p50 === undefined || p95 === undefined ? null : { p50, p95 }
}
