import { z } from 'zod'
import { branch, commitSha } from '../../base/input-fields/schema.ts'
import { ReportedStatus } from '../schema.ts'

export const UploadPart = z.enum(['reports', 'coverage', 'artifacts'])
export type UploadPart = z.infer<typeof UploadPart>

const plainText = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be plain text')

/** What an upload says about its files. */
export const UploadFields = z.object({
  branch: branch.refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), 'must be plain text'),
  commitSha,
  /** What kind of run it is, where a project has several: `unit`, `e2e on Windows`. */
  name: plainText(120).optional(),
  /** Uploads of one commit with the same key are parts of one run. */
  shardKey: plainText(200).optional(),
  /** The folder of the checkout, which paths in the files begin with. */
  root: plainText(1_000).optional(),
})
export type UploadFields = z.infer<typeof UploadFields>

/** What a run has come to with an upload. */
export const UploadedRun = z.object({
  runId: z.string(),
  status: ReportedStatus,
  totalTests: z.int(),
  passedTests: z.int(),
  failedTests: z.int(),
  skippedTests: z.int(),
  coverage: z.number().nullable(),
  warnings: z.array(z.string()),
})
export type UploadedRun = z.infer<typeof UploadedRun>
