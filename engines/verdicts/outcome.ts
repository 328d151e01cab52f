import type { ExecutionOutcome } from '../sandbox/executor.ts'
import type { RunError, FailureKind } from './schema.ts'
import type { Totals } from '../reports/totals.ts'
import type { CaseStatus, TestCase } from '../reports/report.ts'

/** A test file that is verified; `path` is relative to the repository. */
export interface TestFile {
  path: string
  code: string
}

/** One test as a run's report tells of it. */
export interface OutcomeCase {
  suite: string
  name: string
  /** Relative to the repository; null where the report does not tell. */
  file: string | null
  status: CaseStatus
  durationMs: number | null
  message: string | null
  failure?: TestCase['failure']
  /** Why the test failed; null if it did not. */
  kind: FailureKind | null
  /** The innermost place in the project that its failure names. */
  place: { file: string; line: number } | null
}

/** What one file of the project came to, as texts, so that it can be kept. */
export interface MeasuredFile {
  /** Lines that were reached, and lines of code that were not, such as `1-4,9`. */
  covered: string
  uncovered: string
  /** How many branches of a line were reached, for lines with any: `12:1,14:2`. */
  branches: string
}

/** Coverage of one run, by path. It can be kept as JSON. */
export interface Measured {
  files: Record<string, MeasuredFile>
}

/** Where a test was when its run was stopped because it did not end. */
export interface Hang {
  /** As the runner reports it, or as the file declares it. */
  test: string | null
  /** The innermost place in the project, else where the test is declared. */
  place: { file: string; line: number } | null
  /** The calls in the project, innermost first, one a line; empty where the process runs no code. */
  stack: string
}

/** Everything that one run of a part's tests left, without anything stored. */
export interface RunOutcome {
  execution: ExecutionOutcome
  /** At most 20,000; the rest is only counted. */
  cases: readonly OutcomeCase[]
  totals: Totals
  /** Why the run says nothing, or not all, of the tests; in the words and codes of test runs. Null where it does. */
  problem: RunError | null
  /** Null where nothing was measured. */
  coverage: Measured | null
  /** Null where the run ended by itself, or nothing shows where it was. */
  hang: Hang | null
  /** The end of what was printed, masked, at most 8 KiB. */
  output: string
  warnings: readonly string[]
}
