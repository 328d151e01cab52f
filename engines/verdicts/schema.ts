import { z } from 'zod'
import { JudgedMutant } from '../mutation/schema.ts'
import { Dependence } from './dependences/schema.ts'

/** Why tests have no result. */
export const RunError = z.object({ code: z.string(), message: z.string() })
export type RunError = z.infer<typeof RunError>

/**
 * The verdict on a test. `suspected_bug`: the test always fails in the same way on the unchanged code, so either the test
 * or the code is wrong.
 */
export const Verdict = z.enum(['accepted', 'not_built', 'flaky', 'no_gain', 'suspected_bug'])
export type Verdict = z.infer<typeof Verdict>

/** The code that a test tests. Lines count from 1; both ends are included. */
export const VerificationTarget = z.object({
  path: z.string().min(1).max(1_024),
  symbol: z.string().max(500).optional(),
  startLine: z.int().positive().optional(),
  endLine: z.int().positive().optional(),
})
export type VerificationTarget = z.infer<typeof VerificationTarget>

/** Why a test failed, determined from its message and stack. */
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

/** One run of the test, alone or together with the suite. */
export const VerificationRun = z.object({
  kind: z.enum(['alone', 'suite']),
  order: z.enum(['default', 'random']),
  /** The seed of the random order. */
  seed: z.string().nullable(),
  outcome: z.enum(['passed', 'failed', 'not_built', 'timeout']),
  durationMs: z.int(),
  /** At most 10 failures of the test itself. */
  failures: z.array(FailedTest),
  /** At most 10 tests of the suite that pass without the new test and failed with it. */
  broke: z.array(z.string()),
})
export type VerificationRun = z.infer<typeof VerificationRun>

/** The results of the project's own tests without the new test. */
export const Baseline = z.object({
  outcome: z.enum(['passed', 'failed']),
  totalTests: z.int(),
  /** At most 50 names of tests that fail without the new test. They do not affect the verdict. */
  knownFailures: z.array(z.string()),
  failedTests: z.int(),
  /** Percent of lines; null if the runner measures no coverage. */
  coverage: z.number().nullable(),
  durationMs: z.int(),
  /** Whether the results come from an earlier verification of the same commit. */
  cached: z.boolean(),
})
export type Baseline = z.infer<typeof Baseline>

/** Lines as ranges such as `3-7,12`, empty for none. */
export const CoverageGain = z.object({
  /** Lines of the target that the test covers when it runs alone. */
  targetLinesReached: z.string(),
  /** Lines and branches of the target that only the new test covers. */
  newTargetLines: z.string(),
  newTargetBranches: z.int(),
  /** The lines of these branches. Missing in verdicts from before it was recorded. */
  newTargetBranchLines: z.string().optional(),
  /** The same for the whole project. */
  newProjectLines: z.int(),
  newProjectBranches: z.int(),
  /** Percent of the project's lines. */
  before: z.number().nullable(),
  after: z.number().nullable(),
})
export type CoverageGain = z.infer<typeof CoverageGain>

/** Mutants of the lines that the test covers, and how many of them it detects. */
export const MutationResult = z.object({
  /** The number of possible mutants, and of those that were tried. */
  found: z.int(),
  tried: z.int(),
  /** An assertion of the test failed. */
  killed: z.int(),
  /** The test failed by an exception or did not end, so no assertion says what is wrong. */
  crashed: z.int(),
  timedOut: z.int(),
  /** The mutant did not compile, or the runner failed. These do not affect the verdict. */
  invalid: z.int(),
  survived: z.int(),
  /** The number of killed mutants that survive the project's own tests; null if this was not checked. */
  newlyKilled: z.int().nullable(),
  seed: z.string(),
  /** At most 20. */
  survivors: z.array(JudgedMutant),
})
export type MutationResult = z.infer<typeof MutationResult>

/** Counts from the source of the test. */
export const TestStyle = z.object({
  assertions: z.int(),
  /** Assertions that only check that a value exists or has a type, or that a mock was called. */
  weakAssertions: z.int(),
  mocks: z.int(),
  /** The share of mocks among mocks and assertions, from 0 to 1. */
  mockShare: z.number(),
})
export type TestStyle = z.infer<typeof TestStyle>

export const Evidence = z.object({
  /** The reason for the verdict, as a code such as `kills_mutants`, `no_assertion_noticed`, `breaks_other_tests`. */
  reason: z.string(),
  /** The reason in sentences, with advice. */
  summary: z.string(),
  target: VerificationTarget.nullable(),
  framework: z.string().nullable(),
  /** The command that a user would type to run the test. */
  command: z.string().nullable(),
  baseline: Baseline.nullable(),
  /** Whether the commit contains another version of the file, which the baseline includes. Missing if not. */
  extendsCommitted: z.boolean().optional(),
  /** The tests that the runner found in the file, with at most 50 names. */
  collected: z.object({ total: z.int(), names: z.array(z.string()) }).nullable(),
  runs: z.array(VerificationRun),
  coverage: CoverageGain.nullable(),
  mutation: MutationResult.nullable(),
  /**
   * What the result of the test can depend on beside the code, of the first file that has any. Empty: Assay found nothing,
   * so it repeats the test twice only. Missing if it could not look.
   */
  dependsOn: z.array(Dependence).optional(),
  /**
   * What a provisional verdict leaves open: the comparison with the project's own tests, the runs with all tests, the
   * repeats, the mutants that are left. Missing in final ones.
   */
  notRun: z.array(z.enum(['comparison', 'suite', 'repeats', 'mutants'])).optional(),
  style: TestStyle.nullable(),
  /** The end of the output of the deciding run, at most 8 KiB. */
  output: z.string(),
  warnings: z.array(z.string()),
  durationMs: z.int(),
})
export type Evidence = z.infer<typeof Evidence>
