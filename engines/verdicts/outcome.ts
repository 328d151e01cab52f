import type { ExecutionOutcome } from '../sandbox/executor.ts'
import type { RunError, FailureKind } from './schema.ts'
import type { Totals } from '../reports/totals.ts'
import type { CaseStatus, TestCase } from '../reports/report.ts'

/** The verified test file; `path` is relative to the repository. */
export interface TestFile {
  path: string
  code: string
}

/** One test case in the report of a run. */
export interface OutcomeCase {
  suite: string
  name: string
  /** Relative to the repository; null if the report does not name it. */
  file: string | null
  /** The declaration of the test, if the report names it. Reports of Go name the place of the failure instead. */
  line?: number
  status: CaseStatus
  /** Set if the test passed after an earlier attempt of the same run failed. */
  passedOnRetry?: true
  durationMs: number | null
  message: string | null
  failure?: TestCase['failure']
  /** Why the test failed; null if it did not. */
  kind: FailureKind | null
  /** The innermost position in the project that the failure names. */
  place: { file: string; line: number } | null
  /** The lines of the test file in the stack of the failure. */
  testLines: readonly number[]
}

/** The coverage of one file, as texts that can be stored. */
export interface MeasuredFile {
  /** Covered and uncovered lines, such as `1-4,9`. */
  covered: string
  uncovered: string
  /** The number of covered branches per line, such as `12:1,14:2`. */
  branches: string
  /** Lines of which not every branch was taken, such as `12:1/2,14:0/3`. Missing if there are none. */
  partial?: string
  /** Lines on which functions begin of which none was called, such as `3,7-9`. Missing if there are none. */
  uncalled?: string
}

/** The coverage of one run by path, which can be stored as JSON. */
export interface Measured {
  files: Record<string, MeasuredFile>
}

/** The position of a test when its run was stopped at the time limit. */
export interface Hang {
  /** The name from the runner or from the file. */
  test: string | null
  /** The innermost position in the project, else the declaration of the test. */
  place: { file: string; line: number } | null
  /** The calls in the project, innermost first, one per line; empty if the process runs no code. */
  stack: string
}

/** The results of one run of a part's tests. */
export interface RunOutcome {
  execution: ExecutionOutcome
  /** At most 20,000. Further cases are only counted in `totals`. */
  cases: readonly OutcomeCase[]
  totals: Totals
  /** Why the results are missing or incomplete, with the codes and messages of test runs. */
  problem: RunError | null
  /** Null if coverage was not measured. */
  coverage: Measured | null
  /** Null if the run was not stopped, or its position is unknown. */
  hang: Hang | null
  /** The end of the output, masked, at most 8 KiB. */
  output: string
  warnings: readonly string[]
}
