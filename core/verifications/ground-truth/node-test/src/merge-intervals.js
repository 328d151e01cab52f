/** Joins intervals that overlap or touch. */
export function mergeIntervals(intervals) {
  const merged = []
  for (const [start, end] of intervals.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}
