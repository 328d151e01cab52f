import { z } from 'zod'
import { branch, commitSha, page, Pagination, userEmail, waitSeconds } from '../base/input-fields/schema.ts'
import { JudgedStatus, judgedFields, reasonFields, runsOfPhase } from '../verdicts/schema.ts'

export const ConfirmationPhase = z.enum(['fetching', 'installing', 'alone', 'in_suite'])
export type ConfirmationPhase = z.infer<typeof ConfirmationPhase>

/**
 * `confirmed`: every repetition passed. `failed`: at least one failed. `inconclusive`: the test did not run, or other
 * problems made the repetitions say nothing.
 */
export const ConfirmationVerdict = z.enum(['confirmed', 'failed', 'inconclusive'])
export type ConfirmationVerdict = z.infer<typeof ConfirmationVerdict>

const Repetitions = z.object({ runs: z.int(), passed: z.int(), failed: z.int(), command: z.string().nullable() })

export const ConfirmationEvidence = z.object({
  reason: z.string(),
  summary: z.string(),
  /** The test without any other, and together with all tests of its part, in random orders where the runner has them. */
  alone: Repetitions,
  inSuite: Repetitions,
  /** With 95 % confidence, the test fails in less than this percentage of runs. Null after a failure. */
  failureRateBelow: z.number().nullable(),
  /** The messages of failed repetitions. */
  errors: z.array(z.string()),
  warnings: z.array(z.string()),
  durationMs: z.int(),
})
export type ConfirmationEvidence = z.infer<typeof ConfirmationEvidence>

export const Confirmation = z.object({
  ...judgedFields,
  testId: z.string(),
  variant: z.string(),
  suite: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  branch: z.string().nullable(),
  commitSha: z.string().nullable(),
  repeats: z.int(),
  verdict: ConfirmationVerdict.nullable(),
  evidence: ConfirmationEvidence.nullable(),
  progress: z.object({ phase: ConfirmationPhase, ...runsOfPhase }).nullable(),
  /** Since when the branch of the project contains the fix, so that the test counts as healthy. */
  mergedAt: z.iso.datetime().nullable(),
})
export type Confirmation = z.infer<typeof Confirmation>

/** Fewer repetitions alone confirm nothing: 10 passes show that a test fails in less than 26 % of runs. */
export const leastRepeats = 10

export const ConfirmFix = z.strictObject({
  projectId: z.string(),
  testId: z.guid(),
  /** Required only if the test has several variants. */
  variant: z.string().max(120).optional(),
  branch: branch.optional(),
  commitSha: commitSha.optional(),
  /** Instead of `branch` and `commitSha`. */
  snapshotId: z.string().optional(),
  /**
   * How often the test runs alone, and as often as there is time in its suite. 20 passes show that it fails in less than
   * 14 % of runs, 59 in less than 5 %. Fewer than 10 show too little to confirm a fix.
   */
  repeats: z.int().min(leastRepeats).max(300).default(20),
  userEmail,
})
export type ConfirmFix = z.infer<typeof ConfirmFix>

export const GetConfirmation = z.strictObject({ confirmationId: z.string(), waitSeconds, userEmail })
export type GetConfirmation = z.infer<typeof GetConfirmation>

export const ConfirmationRef = z.strictObject({ confirmationId: z.string(), userEmail })
export type ConfirmationRef = z.infer<typeof ConfirmationRef>

export const ListConfirmations = z.strictObject({
  projectId: z.string(),
  testId: z.guid().optional(),
  status: JudgedStatus.optional(),
  ...page,
  userEmail,
})
export type ListConfirmations = z.infer<typeof ListConfirmations>

/** A confirmation in a list: without its evidence, but with its reason and summary. */
export const ConfirmationSummary = Confirmation.omit({ evidence: true }).extend(reasonFields)
export type ConfirmationSummary = z.infer<typeof ConfirmationSummary>

export const ConfirmationsPage = z.object({ confirmations: z.array(ConfirmationSummary), pagination: Pagination })
export type ConfirmationsPage = z.infer<typeof ConfirmationsPage>
