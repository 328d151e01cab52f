import { z } from 'zod'
import { page, Pagination, url, userEmail } from '../base/input-fields/schema.ts'

const count = z.int()
const seconds = z.number()
const glob = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be a glob such as test/smoke/**')

/** What a selection says of a test file. `because` is a clause whose subject is the file. */
const ChosenFile = z.object({
  file: z.string(),
  kind: z.enum([
    'all',
    'changed',
    'new',
    'imports',
    'reached',
    'unknown_imports',
    'failed',
    'flaky',
    'never_passed',
    'always_run',
  ]),
  because: z.string(),
  /** The usual time; null if it is not known. */
  seconds: seconds.nullable(),
})

const LeftOutFile = z.object({
  file: z.string(),
  kind: z.enum(['unaffected', 'not_reached', 'budget']),
  because: z.string(),
})

const SelectionCounts = z.object({
  all: count,
  selected: count,
  skipped: count,
  /** Beyond the budget. */
  cut: count,
})

/** In how far the project's own history supports selections. */
export const SelectionEvidence = z.object({
  /** Commits of the latest 1,000 runs of all tests for which the selection was computed. */
  runs: count,
  /** Runs in which tests failed because of the change, and those of them in which the selection had every such test. */
  redRuns: count,
  caughtRuns: count,
  /** Such tests, and those of them that were selected. */
  failures: count,
  caughtFailures: count,
  /** `caughtRuns` of `redRuns`, from 0 to 1; null without a red run. */
  recall: z.number().nullable(),
  /** The share of the test time that would have been saved, from 0 to 1; null if no times are known. */
  saving: z.number().nullable(),
  /** Why `enforce` cannot be switched on yet, a sentence; null if it can. */
  missing: z.string().nullable(),
})
export type SelectionEvidence = z.infer<typeof SelectionEvidence>

/** `shadow`: only computed, while all tests run. `enforce`: pull requests run only what is selected. */
export const SelectionMode = z.enum(['off', 'shadow', 'enforce'])
export type SelectionMode = z.infer<typeof SelectionMode>

export const SelectionPolicy = z.strictObject({
  mode: SelectionMode,
  /** Globs of test files that every selection contains. */
  alwaysRun: z.array(glob).max(100),
})
export type SelectionPolicy = z.infer<typeof SelectionPolicy>

export const SelectTests = z.strictObject({
  projectId: z.string(),
  /** A branch, tag or commit; by default the branch of the project. A commit of the base itself is compared with its parent. */
  base: z.string().min(1).max(255).optional(),
  /** A branch or a full commit id; by default the branch of the project. */
  head: z.string().min(1).max(255).optional(),
  /** Instead of `head`. */
  snapshotId: z.string().optional(),
  /** Keeps the most useful tests that fit into this time. */
  budgetSeconds: z.number().positive().max(86_400).optional(),
  userEmail,
})
export type SelectTests = z.infer<typeof SelectTests>

export const SelectedTests = z.object({
  baseSha: z.string(),
  headSha: z.string(),
  snapshotId: z.string().nullable(),
  /** `all`: every test runs, and `whyAll` says why. */
  mode: z.enum(['impacted', 'all']),
  whyAll: z.string().nullable(),
  /** The most useful ones first; at most 5,000. */
  tests: z.array(ChosenFile),
  /** At most 5,000. */
  skipped: z.array(LeftOutFile),
  counts: SelectionCounts,
  /** Of the test files whose times are known. */
  seconds: z.object({ all: seconds, selected: seconds }),
  evidence: SelectionEvidence,
})
export type SelectedTests = z.infer<typeof SelectedTests>

export const GetSelection = z.strictObject({ projectId: z.string(), userEmail })
export type GetSelection = z.infer<typeof GetSelection>

/** The measurement of strength that shows which code the test files run. */
export const MeasuredReach = z.object({ commitSha: z.string(), measuredAt: z.iso.datetime(), testFiles: count })

export const SelectionOverview = z.object({
  policy: SelectionPolicy,
  evidence: SelectionEvidence,
  /** Null if all code of the project's branch was never measured. */
  reach: MeasuredReach.nullable(),
})
export type SelectionOverview = z.infer<typeof SelectionOverview>

export const UpdateSelection = z.strictObject({
  projectId: z.string(),
  policy: SelectionPolicy.partial(),
  userEmail,
})
export type UpdateSelection = z.infer<typeof UpdateSelection>

/** A test that failed because of a change, and that the selection did not have. */
export const MissedTest = z.object({
  suite: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  because: z.string(),
})
export type MissedTest = z.infer<typeof MissedTest>

/** What a selection would have done in place of a run of all tests. */
export const ShadowRun = z.object({
  runId: z.string(),
  projectId: z.string(),
  url,
  branch: z.string().nullable(),
  baseSha: z.string(),
  headSha: z.string(),
  mode: z.enum(['impacted', 'all']),
  whyAll: z.string().nullable(),
  counts: SelectionCounts,
  seconds: z.object({ all: seconds, selected: seconds }),
  /** Tests that failed because of the change; null if no earlier run shows how they were before. */
  failures: count.nullable(),
  caught: count.nullable(),
  missed: z.array(MissedTest),
  createdAt: z.iso.datetime(),
})
export type ShadowRun = z.infer<typeof ShadowRun>

export const ListShadowRuns = z.strictObject({
  projectId: z.string(),
  /** Only those with tests that failed because of the change. */
  red: z.boolean().optional(),
  ...page,
  userEmail,
})
export type ListShadowRuns = z.infer<typeof ListShadowRuns>

export const ShadowRunsPage = z.object({ runs: z.array(ShadowRun), pagination: Pagination })
export type ShadowRunsPage = z.infer<typeof ShadowRunsPage>
