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

/** Failures so many times as usual are no longer what the project is used to. */
const massFactor = 2

/**
 * Finds out whether the failures of a run come from an outage and not from the tests that failed.
 *
 */
export function findOutage(
  { totalTests, tests, errors }: RunFailures,
  usual: UsualFailures | null,
  policy: Pick<HealthPolicy, 'massShare' | 'massTests' | 'incidentTests' | 'burstFactor'>,
): Outage | null {
  const isUsual = usual !== null && tests < massFactor * usual.tests
  if (!isUsual && totalTests >= policy.massTests && tests >= policy.massShare * totalTests) {
    return { kind: 'mass', tests, totalTests }
  }
  if (tests < policy.incidentTests) return null
  // Errors that vary from test to test give every failure its own fingerprint. The number of failures does not vary.
  const before = usual === null || usual.isLater ? 0 : usual.tests
  if (tests >= policy.burstFactor * Math.max(before, 1)) return { kind: 'burst', tests, usual: before }
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

/** The number of runs from which `usualFailures` is taken. */
export const usualRuns = 50
const leastRuns = 5

export interface UsualFailures {
  /** The median number of failing tests of a run. */
  tests: number
  /** Whether the runs were not all before the run in question. */
  isLater: boolean
}

/**
 * Returns how many tests failed in the runs before a run. The first runs of a project are compared with each other. Null if
 * there are fewer than 5.
 *
 * @param counts - the failing tests of all runs, the oldest first
 * @param place - the place of the run among them, from 0
 */
export function usualFailures(counts: readonly number[], place: number): UsualFailures | null {
  if (counts.length < leastRuns) return null
  const end = Math.max(place, leastRuns)
  const sorted = counts.slice(Math.max(0, end - usualRuns), end).toSorted((a, b) => a - b)
  return { tests: sorted[Math.floor(sorted.length / 2)] ?? 0, isLater: place < leastRuns }
}
