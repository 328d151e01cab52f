import { z } from 'zod'
import { branch, commitSha, url } from '../../base/input-fields/schema.ts'
import { ReportedStatus } from '../schema.ts'

export const UploadPart = z.enum(['reports', 'coverage', 'artifacts'])
export type UploadPart = z.infer<typeof UploadPart>

const plainText = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be plain text')

/** The fields of an upload. */
export const UploadFields = z.object({
  /** Together with `commitSha`. Results of code that is not committed have neither; they do not count for the health of tests. */
  branch: branch.refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), 'must be plain text').optional(),
  commitSha: commitSha.optional(),
  /** The commit whose files were tested, if it is a merge of `commitSha` with another branch, as CI makes for pull requests. */
  testedSha: commitSha.optional(),
  /** The number of the pull request. Its gate is decided with this upload. */
  pullRequest: z.coerce
    .number()
    .int('must be a whole number')
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  /** The branch that the pull request is to be merged into. Defaults to the project's branch. */
  targetBranch: branch.refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), 'must be plain text').optional(),
  /** Distinguishes several kinds of runs of a project, such as `unit` and `e2e on Windows`. */
  name: plainText(120).optional(),
  /** Tells results of the same tests apart, such as those on another operating system. Defaults to `name`. */
  variant: plainText(120).optional(),
  /** When the tests ran; by default, when the upload arrives. At most 30 days ago. Orders the history of a test. */
  ranAt: z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-27T09:30:00Z' }).optional(),
  /** Uploads of one commit with the same key become one run. */
  shardKey: plainText(200).optional(),
  /** The folder of the checkout. Removed from the beginning of the absolute paths in the files. */
  root: plainText(1_000).optional(),
})
export type UploadFields = z.infer<typeof UploadFields>

/** The run with its results after the upload. */
export const UploadedRun = z.object({
  runId: z.string(),
  url,
  status: ReportedStatus,
  totalTests: z.int(),
  passedTests: z.int(),
  failedTests: z.int(),
  /** Failed, but muted by quarantine: they do not decide, and are not among `failedTests`. */
  mutedTests: z.int(),
  skippedTests: z.int(),
  coverage: z.number().nullable(),
  warnings: z.array(z.string()),
})
export type UploadedRun = z.infer<typeof UploadedRun>
