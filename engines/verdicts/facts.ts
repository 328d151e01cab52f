import type { JudgedMutant } from '../mutation/schema.ts'
import type { CoverageGain, TestStyle, Verdict, VerificationRun, VerificationTarget } from './schema.ts'

/** A run of the evidence, with facts that only the verdict needs. */
export interface RunFacts {
  run: VerificationRun
  /** The number of reported tests of the file, and of those that were skipped. */
  collected: number
  skipped: number
  /** Why the run gave no result: a syntax error, no tests, a limit. */
  problem: { code: string; message: string } | null
  /** The titles of failed tests whose report gives no reason. */
  unexplained: readonly string[]
  /** The end of the runner's output. */
  words: string
}

/** The tests of the suite that failed with and without the new test, in the same order. */
export interface BreakCheck {
  /** For each run with the new test: the titles of failed tests that pass in the baseline. */
  failedWith: readonly (readonly string[])[]
  /** The same for each run without the new test. */
  failedWithout: readonly (readonly string[])[]
}

export type MutantOutcome = 'killed' | 'crashed' | 'timed_out' | 'invalid' | 'survived'

export interface JudgedRun {
  mutant: JudgedMutant
  outcome: MutantOutcome
  /** Titles of the tests that detected it, if the caller needs them. */
  killedBy?: readonly string[]
}

export interface MutationFacts {
  /** The number of possible mutants. */
  found: number
  /** If none was found: the number of mutants in lines of the target that the test does not cover. */
  passedBy: number
  /** The number of possible mutants in lines that only the test covers. */
  inNewLines: number
  /** Whether the test fails if only the text of the target changes, but not its behavior. */
  noticesText: boolean
  seed: string
  judged: readonly JudgedRun[]
  /** Mutants of other code that a test of a suggestion reaches. They are shown, and decide nothing. */
  beside?: readonly JudgedRun[]
  /** The number of killed mutants that survive the project's own tests; null if this was not checked. */
  newlyKilled: number | null
  /** The number of killed mutants that the project's own tests were tried against. Missing if this was not checked. */
  compared?: number
}

/** Everything that a verdict depends on. `judgeRuns` needs only the fields before `coverage`. */
export interface Facts {
  path: string
  target: VerificationTarget | null
  framework: string | null
  /** In the order of execution. Empty if the runner cannot run a single file. */
  alone: readonly RunFacts[]
  suite: readonly RunFacts[]
  /** One for each run with the suite in which other tests failed. */
  breakChecks: readonly BreakCheck[]
  /** A sentence that says where the project's tests are. */
  testFoldersHint: string | null
  /**
   * Whether the commit contains another version of the file. `style`, `coverage` and `mutation` are then about what the
   * test adds to that version.
   */
  extendsCommitted: boolean
  style: TestStyle | null
  /** Null if coverage was not measured. */
  coverage: CoverageGain | null
  /** Null if no mutants were tried: the language has none, or mutants are off. */
  mutation: MutationFacts | null
}

export interface Judgement {
  verdict: Verdict
  /** A code such as `kills_mutants`. */
  reason: string
  /** Sentences for users: what Assay observed, and what to do. */
  summary: string
}
