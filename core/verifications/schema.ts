import { z } from 'zod'
import { branch, commitSha, page, Pagination, url, userEmail, waitSeconds } from '../base/input-fields/schema.ts'
import { JudgedStatus, judgedFields, reasonFields, runsOfPhase } from '../verdicts/schema.ts'
import { Evidence, VerificationTarget, Verdict } from '../../engines/verdicts/schema.ts'

export const VerificationPhase = z.enum([
  'fetching',
  'installing',
  'building',
  'mutating',
  'baseline',
  'comparing',
  'repeating',
  'judging',
])
export type VerificationPhase = z.infer<typeof VerificationPhase>

export const Verification = z.object({
  ...judgedFields,
  /** Identifies the call of `tests.verifyMany`. */
  batchId: z.string().nullable(),
  generatedTestId: z.string().nullable(),
  suggestionId: z.string().nullable(),
  filePath: z.string(),
  /** The text of the test. */
  code: z.string(),
  branch: z.string().nullable(),
  /** The commit on which the test was verified; null until it is known. */
  commitSha: z.string().nullable(),
  /** With `status` `running`, a provisional verdict: `evidence.notRun` is open. */
  verdict: Verdict.nullable(),
  isProvisional: z.boolean(),
  evidence: Evidence.nullable(),
  progress: z.object({ phase: VerificationPhase, ...runsOfPhase }).nullable(),
})
export type Verification = z.infer<typeof Verification>

/** A verification in a list: without the code and the evidence, but with its reason and summary. */
export const VerificationSummary = Verification.omit({ code: true, evidence: true }).extend(reasonFields)
export type VerificationSummary = z.infer<typeof VerificationSummary>

const filePath = z.string().min(1, 'is empty. Send the path of the test, such as tests/cart.test.ts.').max(1_024)
const code = z
  .string()
  .min(1, 'is empty. Send the complete code of the test, or a generatedTestId instead of filePath and code.')
  .max(256 * 1_024)
const howToVerify = {
  branch: branch.optional(),
  commitSha: commitSha.optional(),
  /** Instead of `branch` and `commitSha`. */
  snapshotId: z.string().optional(),
  /** The number of runs alone. The test runs as often with the suite if the time allows it. */
  repeats: z.int().min(2).max(20).default(5),
  mutants: z.int().min(0).max(100).default(20),
  /** After this time no more mutants are tried before the provisional verdict; the rest follows. */
  budgetSeconds: z.int().min(10).max(3_600).default(60),
  /** Reaches a new verdict even if the same test was verified on the same code before. */
  again: z.boolean().default(false),
  userEmail,
}

const testToVerify = {
  filePath: filePath.optional(),
  code: code.optional(),
  /** Instead of `filePath` and `code`. */
  generatedTestId: z.string().optional(),
  /** The suggestion that the test implements. Its target is the target of the test. */
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

export const VerificationBatch = z.object({
  batchId: z.string(),
  /** The page that lists the verifications. */
  url,
  verifications: z.array(VerificationSummary),
})
export type VerificationBatch = z.infer<typeof VerificationBatch>

export const GetVerification = z.strictObject({
  verificationId: z.string(),
  /** The call returns as soon as the verification has ended, or after this time. */
  waitSeconds,
  /** With `false`, the call also returns as soon as there is a provisional verdict. */
  final: z.boolean().default(true),
  userEmail,
})
export type GetVerification = z.infer<typeof GetVerification>

export const ListVerifications = z.strictObject({
  projectId: z.string(),
  batchId: z.string().optional(),
  filePath: z.string().optional(),
  verdict: Verdict.optional(),
  status: JudgedStatus.optional(),
  ...page,
  userEmail,
})
export type ListVerifications = z.infer<typeof ListVerifications>

export const VerificationsPage = z.object({
  verifications: z.array(VerificationSummary),
  pagination: Pagination,
})
export type VerificationsPage = z.infer<typeof VerificationsPage>

export const VerificationRef = z.strictObject({ verificationId: z.string(), userEmail })
export type VerificationRef = z.infer<typeof VerificationRef>
