import { z } from 'zod'
import { page, Pagination, url, userEmail } from '../base/input-fields/schema.ts'

const line = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be one line of plain text')

/** `muted`: the test runs, but its failure does not decide. `skipped`: Assay's own runs leave it out where the runner can. */
export const QuarantineMode = z.enum(['muted', 'skipped'])
export type QuarantineMode = z.infer<typeof QuarantineMode>

export const QuarantineStatus = z.enum(['requested', 'active', 'rejected', 'released', 'expired'])
export type QuarantineStatus = z.infer<typeof QuarantineStatus>

export const maxQuarantineDays = 90
const days = z.int().min(1).max(maxQuarantineDays)

export const Quarantine = z.object({
  id: z.string(),
  projectId: z.string(),
  /** The page of the test. */
  url,
  testId: z.string(),
  /** Null for all variants. */
  variant: z.string().nullable(),
  suite: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  mode: QuarantineMode,
  status: QuarantineStatus,
  reason: z.string(),
  owner: z.string().nullable(),
  issueUrl: z.string().nullable(),
  /** Assay muted the test itself because it became flaky. */
  automatic: z.boolean(),
  /** How long it lasts from when it is granted. */
  days: z.int(),
  requestedBy: z.string().nullable(),
  requestedAt: z.iso.datetime(),
  decidedBy: z.string().nullable(),
  decidedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  endedBy: z.string().nullable(),
  endedAt: z.iso.datetime().nullable(),
  endReason: z.string().nullable(),
})
export type Quarantine = z.infer<typeof Quarantine>

export const RequestQuarantine = z.object({
  projectId: z.string(),
  testId: z.guid(),
  /** Only this variant; all variants by default. */
  variant: z.string().max(120).optional(),
  mode: QuarantineMode.default('muted'),
  reason: line(500),
  /** Who will fix the test. */
  owner: line(200).optional(),
  issueUrl: z
    .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
    .max(2_000)
    .optional(),
  /** The project's setting by default, which is 14. */
  days: days.optional(),
  userEmail,
})
export type RequestQuarantine = z.infer<typeof RequestQuarantine>

export const GrantQuarantine = z.object({
  quarantineId: z.string(),
  /** From now; as requested by default. Extends a quarantine that is active. */
  days: days.optional(),
  userEmail,
})
export type GrantQuarantine = z.infer<typeof GrantQuarantine>

export const ReleaseQuarantine = z.object({ quarantineId: z.string(), reason: line(500).optional(), userEmail })
export type ReleaseQuarantine = z.infer<typeof ReleaseQuarantine>

export const ListQuarantines = z.object({
  projectId: z.string(),
  status: QuarantineStatus.optional(),
  testId: z.guid().optional(),
  ...page,
  userEmail,
})
export type ListQuarantines = z.infer<typeof ListQuarantines>

export const QuarantinesPage = z.object({ quarantines: z.array(Quarantine), pagination: Pagination })
export type QuarantinesPage = z.infer<typeof QuarantinesPage>
