/** The result of one test in one run that counts. Skipped results are no outcomes. */
export interface Outcome {
  runId: string
  /** When the run took place, in milliseconds since the epoch. */
  at: number
  commit: string | null
  /** Whether the run tested the default branch. */
  isDefault: boolean
  failed: boolean
  /** The test failed in one attempt of the run and passed in another. */
  retried: boolean
  /** Of the failure or of the last failed attempt. */
  fingerprint: string | null
  /** The failure belongs to an incident or a burst, so it says little about this test. */
  excused: boolean
}

export type Health = 'new' | 'healthy' | 'flaky' | 'broken' | 'stale'

/** What made the health of a test what it is. */
export type HealthRule =
  /** Too few results. */
  | 'few_results'
  /** Nothing speaks against the test. */
  | 'no_evidence'
  /** Failed and passed on one commit. */
  | 'same_commit'
  /** Failed in one attempt of a run and passed in another. */
  | 'retried'
  /** Repeatedly failed in one run and passed before and after. */
  | 'isolated'
  /** Failed several times in a row on the default branch. */
  | 'failures_in_a_row'
  /** Passed often and long enough since the last evidence. */
  | 'quiet'
  /** Passed on the default branch after it was broken. */
  | 'passed_again'
  /** Passed every repetition of a confirmation on a commit of the default branch. */
  | 'confirmed_fix'
  /** The project has run without the test for long. */
  | 'unseen'

/** A result that a rule refers to. */
export interface EvidenceRun {
  runId: string
  at: number
  commit: string | null
  failed: boolean
  fingerprint: string | null
}

export interface HealthChange {
  from: Health | null
  to: Health
  rule: HealthRule
  /** The run that made the difference. */
  at: number
  runId: string
  commit: string | null
  /** The latest results that the rule refers to, oldest first. */
  evidence: EvidenceRun[]
}

/** The health of a test with the change that led to it. */
export interface JudgedHealth {
  health: Health
  rule: HealthRule
  /** Where the state began: for `broken` the first of the failures in a row. */
  since: EvidenceRun | null
  evidence: EvidenceRun[]
  /** All changes that the outcomes show, oldest first. */
  changes: HealthChange[]
  counts: { results: number; passed: number; failed: number; retried: number; excused: number }
  /** Share of failures among the outcomes that count and can be expected again, from 0 to 1. */
  failureRate: number
  /** Whether the next pass can change the health: the latest results on the default branch are failures. */
  unsettled: boolean
  /** For a flaky test: the passes and days that are missing until it is healthy again. */
  missing: { passes: number; days: number } | null
}
