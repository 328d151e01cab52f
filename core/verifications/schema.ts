import { z } from 'zod'

/** A verification record's way: `failed` means that no verdict could be reached, through no fault of the test. */
export const VerificationStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export type VerificationStatus = z.infer<typeof VerificationStatus>

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

export const VerificationPhase = z.enum([
  'fetching',
  'installing',
  'baseline',
  'building',
  'repeating',
  'comparing',
  'mutating',
  'judging',
])
export type VerificationPhase = z.infer<typeof VerificationPhase>

export const VerificationProgress = z.object({
  phase: VerificationPhase,
  /** Runs of the phase that have ended, and that there will be; 0 and 0 where it has no runs. */
  done: z.int().nonnegative(),
  total: z.int().nonnegative(),
})
export type VerificationProgress = z.infer<typeof VerificationProgress>

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

export const MutationOperator = z.enum(['condition', 'boundary', 'return', 'arithmetic', 'removed_call'])
export type MutationOperator = z.infer<typeof MutationOperator>

export const JudgedMutant = z.object({
  path: z.string(),
  line: z.int(),
  operator: MutationOperator,
  original: z.string(),
  replacement: z.string(),
})
export type JudgedMutant = z.infer<typeof JudgedMutant>

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

export const Verification = z.object({
  id: z.string(),
  projectId: z.string(),
  /** Of the call that asked for several. */
  batchId: z.string().nullable(),
  generatedTestId: z.string().nullable(),
  suggestionId: z.string().nullable(),
  filePath: z.string(),
  branch: z.string().nullable(),
  /** What it was verified on; null until it is known. */
  commitSha: z.string().nullable(),
  status: VerificationStatus,
  verdict: Verdict.nullable(),
  evidence: Evidence.nullable(),
  progress: VerificationProgress.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** The verification whose result this is, where the same test was verified on the same code before. */
  sameAs: z.string().nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
})
export type Verification = z.infer<typeof Verification>

/** Lists leave the evidence out, but for what decided. */
export const VerificationSummary = Verification.omit({ evidence: true }).extend({
  reason: z.string().nullable(),
  summary: z.string().nullable(),
})
export type VerificationSummary = z.infer<typeof VerificationSummary>

const filePath = z.string().min(1, 'is empty. Send where the test belongs, such as tests/cart.test.ts.').max(1_024)
const code = z
  .string()
  .min(1, 'is empty. Send the whole text of the test, or the generatedTestId of one in place of filePath and code.')
  .max(256 * 1_024)
const commitSha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full commit id: 40 or 64 lower-case hexadecimal digits')
const branch = z.string().min(1).max(255)

const howToVerify = {
  branch: branch.optional(),
  commitSha: commitSha.optional(),
  /** Runs alone, and as many with the suite where time allows. */
  repeats: z.int().min(2).max(20).default(5),
  mutants: z.int().min(0).max(100).default(20),
  /** Makes a new verdict also where the same test has one on the same code. */
  again: z.boolean().default(false),
  userEmail: z.string().max(320).optional(),
}

const testToVerify = {
  filePath: filePath.optional(),
  code: code.optional(),
  /** In place of path and code. */
  generatedTestId: z.string().optional(),
  /** The suggestion that the test follows; its target is the test's. */
  suggestionId: z.string().optional(),
  target: VerificationTarget.optional(),
}

export const VerifyTest = z.strictObject({ projectId: z.string(), ...testToVerify, ...howToVerify })
export type VerifyTest = z.infer<typeof VerifyTest>

export const VerifyTests = z.strictObject({
  projectId: z.string(),
  tests: z.array(z.strictObject(testToVerify)).min(1).max(50),
  ...howToVerify,
})
export type VerifyTests = z.infer<typeof VerifyTests>

export const VerificationBatch = z.object({ batchId: z.string(), verifications: z.array(VerificationSummary) })
export type VerificationBatch = z.infer<typeof VerificationBatch>

export const GetVerification = z.strictObject({
  verificationId: z.string(),
  /** Answers as soon as it has ended, at the latest after so many seconds. */
  waitSeconds: z.int().min(0).max(45).default(0),
  userEmail: z.string().max(320).optional(),
})
export type GetVerification = z.infer<typeof GetVerification>

export const ListVerifications = z.strictObject({
  projectId: z.string(),
  batchId: z.string().optional(),
  filePath: z.string().optional(),
  verdict: Verdict.optional(),
  status: VerificationStatus.optional(),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
  userEmail: z.string().max(320).optional(),
})
export type ListVerifications = z.infer<typeof ListVerifications>

export const VerificationsPage = z.object({
  verifications: z.array(VerificationSummary),
  pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
})
export type VerificationsPage = z.infer<typeof VerificationsPage>

export const VerificationRef = z.strictObject({ verificationId: z.string(), userEmail: z.string().max(320).optional() })
export type VerificationRef = z.infer<typeof VerificationRef>
