import type { JudgedMutant } from '../mutation/schema.ts'
import type { CoverageGain, TestStyle, Verdict, VerificationRun, VerificationTarget } from './schema.ts'

/** A run as it is kept, and what only the verdict needs of it. */
export interface RunFacts {
  run: VerificationRun
  /** Tests of the file that were reported, and how many of them were skipped. */
  collected: number
  skipped: number
  /** Why the run gave no verdict, in the runner's words: a syntax error, no test found, a limit. */
  problem: { code: string; message: string } | null
  /** The titles of failed tests whose report gives no reason. */
  unexplained: readonly string[]
  /** The end of the runner's output. */
  words: string
}

/** The tests of the suite that failed, or the whole of it, with the test and without it, in one order. */
export interface BreakCheck {
  /** Titles of tests that pass in the baseline, for each run with the test in place. */
  failedWith: readonly (readonly string[])[]
  /** The same for runs without it, after the first of those. */
  failedWithout: readonly (readonly string[])[]
}

export type MutantOutcome = 'killed' | 'crashed' | 'timed_out' | 'invalid' | 'survived'

export interface JudgedRun {
  mutant: JudgedMutant
  outcome: MutantOutcome
}

export interface MutationFacts {
  /** How many there could have been. */
  found: number
  /** Where none was found: how many there are in the lines of the target that the test does not reach. */
  passedBy: number
  /** Whether the test fails where the text of the target changed and nothing else. */
  noticesText: boolean
  seed: string
  judged: readonly JudgedRun[]
  /** Killed ones that the project's own tests let live; null where that was not asked. */
  newlyKilled: number | null
}

/** Everything that a verdict depends on. It grows: `judgeRuns` needs what is before `coverage`. */
export interface Facts {
  path: string
  target: VerificationTarget | null
  framework: string | null
  /** In the order in which they were run. Empty: the runner cannot be confined to the file. */
  alone: readonly RunFacts[]
  suite: readonly RunFacts[]
  /** One for each run with the suite that broke something. */
  breakChecks: readonly BreakCheck[]
  /** Where the project's tests lie, for one that the runner does not look for. */
  testFoldersHint: string | null
  style: TestStyle | null
  /** Null where nothing was measured. */
  coverage: CoverageGain | null
  /** Null where there is no mutation: the language is not known to it, or nobody asked. */
  mutation: MutationFacts | null
}

export interface Judgement {
  verdict: Verdict
  /** A code. */
  reason: string
  /** For people and agents: what was seen and what to do. */
  summary: string
}
