import { z } from 'zod'
import { ChangeEvidence, ChangeIntent, ChangeVerdict } from '../../engines/verdicts/change/schema.ts'
import { branch, commitSha, page, Pagination, userEmail, waitSeconds } from '../base/input-fields/schema.ts'
import { JudgedStatus, judgedFields, reasonFields, runsOfPhase } from '../verdicts/schema.ts'

export const ChangePhase = z.enum([
  'fetching',
  'installing',
  'running_head',
  'running_base',
  'without_change',
  'repeating',
  'mutating',
  'judging',
])
export type ChangePhase = z.infer<typeof ChangePhase>

export const Change = z.object({
  ...judgedFields,
  /** The user who asked. */
  userId: z.string(),
  /** The branch or commit that the change was to be compared with, as given or found. */
  base: z.string().nullable(),
  /** The commit where the change begins; null until it is known. */
  baseSha: z.string().nullable(),
  head: z.string().nullable(),
  /** The commit with the change; null until it is known. */
  headSha: z.string().nullable(),
  intent: ChangeIntent,
  /** With `status` `running`, the provisional verdict of the phases that have ended. */
  verdict: ChangeVerdict.nullable(),
  isProvisional: z.boolean(),
  evidence: ChangeEvidence.nullable(),
  progress: z.object({ phase: ChangePhase, ...runsOfPhase }).nullable(),
})
export type Change = z.infer<typeof Change>

/** A change in a list: without the evidence, but with its reason and summary. */
export const ChangeSummary = Change.omit({ evidence: true }).extend(reasonFields)
export type ChangeSummary = z.infer<typeof ChangeSummary>

export const VerifyChange = z.strictObject({
  projectId: z.string(),
  /** A branch, tag or commit. Defaults to where the head left the project's branch. */
  base: z.string().trim().min(1).max(255).optional(),
  /** A branch or a full commit id. Defaults to the project's branch. */
  head: z.union([commitSha, branch]).optional(),
  /** Instead of `head`. */
  snapshotId: z.string().optional(),
  /** `same` for a refactoring: behavior must not change, so no test has to fail without it. */
  expect: ChangeIntent.default('change'),
  /** How often tests run before one of them is called flaky, broken or passing. */
  repeats: z.int().min(1).max(10).default(3),
  mutants: z.int().min(0).max(100).default(20),
  /** After this time the answer is provisional; the rest follows. */
  budgetSeconds: z.int().min(10).max(3_600).default(90),
  /** Reaches a new verdict even if the same change was verified before. */
  again: z.boolean().default(false),
  userEmail,
})
export type VerifyChange = z.infer<typeof VerifyChange>

export const GetChange = z.strictObject({
  changeId: z.string(),
  /** The call returns as soon as there is a verdict, even a provisional one, or after this time. */
  waitSeconds,
  /** Waits for the final verdict. */
  final: z.boolean().default(false),
  userEmail,
})
export type GetChange = z.infer<typeof GetChange>

export const ListChanges = z.strictObject({
  projectId: z.string(),
  verdict: ChangeVerdict.optional(),
  status: JudgedStatus.optional(),
  ...page,
  userEmail,
})
export type ListChanges = z.infer<typeof ListChanges>

export const ChangesPage = z.object({ changes: z.array(ChangeSummary), pagination: Pagination })
export type ChangesPage = z.infer<typeof ChangesPage>

export const ChangeRef = z.strictObject({ changeId: z.string(), userEmail })
export type ChangeRef = z.infer<typeof ChangeRef>
