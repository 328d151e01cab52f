export interface TimedFile {
  path: string
  /** Milliseconds; null if unknown. */
  ms: number | null
  /** The number of its tests. */
  tests: number
}

export interface Shard {
  files: string[]
  ms: number
  tests: number
}

/**
 * Divides files into shards that take about the same time: the longest file first, always to the shard with the least
 * time. The longest shard takes at most 4/3 of the shortest possible time. Files with an unknown duration count with the
 * median time of a test. The same files give the same shards.
 *
 * @param known - files whose durations say how long a test takes, also if they are not divided
 * @returns as many shards as wanted; some are empty if there are fewer files
 */
export function planShards(files: readonly TimedFile[], count: number, known: readonly TimedFile[] = files): Shard[] {
  const perTest = medianTest(known)
  const shards = Array.from({ length: count }, (): Shard => ({ files: [], ms: 0, tests: 0 }))
  const timed = files.map(({ path, ms, tests }) => ({ path, tests, ms: ms ?? perTest * Math.max(1, tests) }))
  for (const { path, ms, tests } of timed.toSorted((a, b) => b.ms - a.ms || (a.path < b.path ? -1 : 1))) {
    const least = shards.reduce((best, shard) =>
      shard.ms < best.ms || (shard.ms === best.ms && shard.files.length < best.files.length) ? shard : best,
    )
    least.files.push(path)
    least.ms += ms
    least.tests += tests
  }
  for (const shard of shards) shard.files.sort()
  return shards
}

/** One millisecond if no duration is known. */
function medianTest(files: readonly TimedFile[]): number {
  const known = files
    .flatMap(({ ms, tests }) => (ms === null ? [] : [ms / Math.max(1, tests)]))
    .toSorted((a, b) => a - b)
  return known[Math.floor(known.length / 2)] ?? 1
}
