import { z } from 'zod'
import { JudgedMutant } from '../mutation/schema.ts'

/** Why tests that ran, or should have run, have no result. */
export const RunError = z.object({ code: z.string(), message: z.string() })
export type RunError = z.infer<typeof RunError>

/**
 * What a test is worth, measured by running it. `suspected_bug` is a test that fails in the same way every time on code
 * that nobody changed: either it or the code is wrong, which somebody must decide.
 */
export const Verdict = z.enum(['accepted', 'not_built', 'flaky', 'no_gain', 'suspected_bug'])
export type Verdict = z.infer<typeof Verdict>

/** What a test is about. Lines count from 1, both ends included. */
export const VerificationTarget = z.object({
  path: z.string().min(1).max(1_024),
  symbol: z.string().max(500).optional(),
  startLine: z.int().positive().optional(),
  endLine: z.int().positive().optional(),
})
export type VerificationTarget = z.infer<typeof VerificationTarget>

/** Why a test failed, as far as its message and stack tell. */
export const FailureKind = z.enum(['assertion', 'crash_in_code', 'crash_in_test', 'timeout', 'not_built'])
export type FailureKind = z.infer<typeof FailureKind>

export const FailedTest = z.object({
  /** Suite and name, as the runner reports them. */
  test: z.string(),
  kind: FailureKind,
  message: z.string().nullable(),
  file: z.string().nullable(),
  line: z.int().nullable(),
})
export type FailedTest = z.infer<typeof FailedTest>

/** One run of the test, by itself or together with the suite. */
export const VerificationRun = z.object({
  kind: z.enum(['alone', 'suite']),
  order: z.enum(['default', 'random']),
  /** Of the random order, where the runner takes one. */
  seed: z.string().nullable(),
  outcome: z.enum(['passed', 'failed', 'not_built', 'timeout']),
  durationMs: z.int(),
  /** Of the test itself; at most 10. */
  failures: z.array(FailedTest),
  /** Tests of the suite that pass without the test and failed with it; at most 10. */
  broke: z.array(z.string()),
})
export type VerificationRun = z.infer<typeof VerificationRun>

/** What the project's own tests did without the test. */
export const Baseline = z.object({
  outcome: z.enum(['passed', 'failed']),
  totalTests: z.int(),
  /** Set aside; at most 50 names. */
  knownFailures: z.array(z.string()),
  failedTests: z.int(),
  /** Percent of lines; null where the runner measures none. */
  coverage: z.number().nullable(),
  durationMs: z.int(),
  /** Whether an earlier verification had measured it, on the same commit in the same way. */
  cached: z.boolean(),
})
export type Baseline = z.infer<typeof Baseline>

/** Lines as ranges such as `3-7,12`, empty for none. */
export const CoverageGain = z.object({
  /** Lines of the target that the test reaches when it runs alone. */
  targetLinesReached: z.string(),
  /** Lines and branches of the target that no test reached before. */
  newTargetLines: z.string(),
  newTargetBranches: z.int(),
  /** The same of the whole project. */
  newProjectLines: z.int(),
  newProjectBranches: z.int(),
  /** Percent of the project's lines. */
  before: z.number().nullable(),
  after: z.number().nullable(),
})
export type CoverageGain = z.infer<typeof CoverageGain>

/** Small changes of the lines that the test reaches, and whether it notices. */
export const MutationResult = z.object({
  /** How many could have been tried, and how many were. */
  found: z.int(),
  tried: z.int(),
  /** The test failed by an assertion of its own: it says what is wrong. */
  killed: z.int(),
  /** It failed by an exception or did not end: it noticed, and does not say what. */
  crashed: z.int(),
  timedOut: z.int(),
  /** The change did not compile, or the runner broke; counts as nothing. */
  invalid: z.int(),
  survived: z.int(),
  /** Killed ones that the project's own tests let live; null where that was not asked. */
  newlyKilled: z.int().nullable(),
  seed: z.string(),
  /** At most 20. */
  survivors: z.array(JudgedMutant),
})
export type MutationResult = z.infer<typeof MutationResult>

/** What the text of the test shows. */
export const TestStyle = z.object({
  assertions: z.int(),
  /** Assertions that only ask whether there is something, of what type it is, or whether a mock was called. */
  weakAssertions: z.int(),
  mocks: z.int(),
  /** Mocks among mocks and assertions, 0 to 1. */
  mockShare: z.number(),
})
export type TestStyle = z.infer<typeof TestStyle>

export const Evidence = z.object({
  /** What decided, as a code such as `kills_mutants`, `no_assertion_noticed`, `breaks_other_tests`. */
  reason: z.string(),
  /** The same in a sentence or two. */
  summary: z.string(),
  target: VerificationTarget.nullable(),
  framework: z.string().nullable(),
  /** What a person would type to run the test. */
  command: z.string().nullable(),
  baseline: Baseline.nullable(),
  /** Tests that the runner found in the file; at most 50 names. */
  collected: z.object({ total: z.int(), names: z.array(z.string()) }).nullable(),
  runs: z.array(VerificationRun),
  coverage: CoverageGain.nullable(),
  mutation: MutationResult.nullable(),
  style: TestStyle.nullable(),
  /** The end of what the deciding run printed, at most 8 KiB. */
  output: z.string(),
  warnings: z.array(z.string()),
  durationMs: z.int(),
})
export type Evidence = z.infer<typeof Evidence>
