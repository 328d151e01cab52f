import type { HealthPolicy } from './policy.ts'

/** What a run says about outages. */
export interface RunFailures {
  /** The number of tests in the run; for a rerun of failed tests, in the original run. */
  totalTests: number
  /** The number of tests that failed or passed only after a failed attempt. */
  tests: number
  /** How many of these tests have each error, by fingerprint; errors of few tests may be missing. */
  errors: ReadonlyMap<string, number>
}

/** Why failures of a run say nothing about single tests. */
export type Outage =
  /** Too many tests failed. Nothing in the run counts. */
  | { kind: 'mass'; tests: number; totalTests: number }
  /** Many tests failed with the same errors. Their failures do not count as flaky. */
  | { kind: 'incident'; fingerprints: ReadonlySet<string>; tests: number }
  /** Far more tests failed than usual. No failure of the run counts as flaky. */
  | { kind: 'burst'; tests: number; usual: number }

/**
 * Finds out whether the failures of a run come from an outage and not from the tests that failed.
 *
 * @param usual - the median number of such tests in the project's runs, or null if too few runs are known
 */
export function findOutage(
  { totalTests, tests, errors }: RunFailures,
  usual: number | null,
  policy: Pick<HealthPolicy, 'massShare' | 'massTests' | 'incidentTests' | 'burstFactor'>,
): Outage | null {
  if (totalTests >= policy.massTests && tests >= policy.massShare * totalTests) {
    return { kind: 'mass', tests, totalTests }
  }
  if (tests < policy.incidentTests) return null
  // Errors that vary from test to test give every failure its own fingerprint. The number of failures does not vary.
  if (tests >= policy.burstFactor * Math.max(usual ?? 0, 1)) return { kind: 'burst', tests, usual: usual ?? 0 }
  const shared = [...errors].filter(([, count]) => count >= policy.incidentTests)
  if (shared.length === 0) return null
  return {
    kind: 'incident',
    fingerprints: new Set(shared.map(([fingerprint]) => fingerprint)),
    tests: shared.reduce((sum, [, count]) => sum + count, 0),
  }
}

/** Whether a failure with this fingerprint belongs to the outage. */
export function isExcused(outage: Outage | null, fingerprint: string | null): boolean {
  if (outage === null) return false
  if (outage.kind !== 'incident') return true
  return fingerprint !== null && outage.fingerprints.has(fingerprint)
}

/** The number of earlier runs from which `usualFailures` is taken. */
export const usualRuns = 50
const leastRuns = 5

/** Returns the median number of failing tests of the last runs, or null if there are fewer than 5. */
export function usualFailures(counts: readonly number[]): number | null {
  if (counts.length < leastRuns) return null
  const sorted = counts.slice(-usualRuns).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
