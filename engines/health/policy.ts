/** The thresholds of a project's health rules. Times are days, shares are from 0 to 1. */
export interface HealthPolicy {
  /** A test with fewer results is `new`, unless it is flaky or broken. */
  newResults: number
  /** So many failures in a row on the default branch make a test broken. */
  brokenFailures: number
  /** So many isolated results on the default branch within the window make a test flaky. */
  isolatedResults: number
  /** The window is this time or this number of results, whichever is longer. */
  isolatedDays: number
  isolatedWindow: number
  /** A flaky test is healthy again after this time without evidence and this number of passes. */
  quietDays: number
  quietPasses: number
  /** A test is stale if the project ran without it for this time. */
  staleDays: number
  /** A run says nothing if at least this share of its tests fails, and it has at least `massTests` tests. */
  massShare: number
  massTests: number
  /** Failures say nothing if so many tests of one run have the same error. */
  incidentTests: number
  /** Failures say nothing if so many times more tests fail than usual, and at least `incidentTests`. */
  burstFactor: number
}

export const defaultPolicy: Readonly<HealthPolicy> = {
  newResults: 10,
  brokenFailures: 3,
  isolatedResults: 2,
  isolatedDays: 14,
  isolatedWindow: 100,
  quietDays: 7,
  quietPasses: 60,
  staleDays: 14,
  massShare: 0.2,
  massTests: 10,
  incidentTests: 8,
  burstFactor: 4,
}

export const dayMs = 86_400_000
