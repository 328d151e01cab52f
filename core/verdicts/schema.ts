import { z } from 'zod'
import { url } from '../base/input-fields/schema.ts'

/** `failed` means that Assay could not reach a verdict, which says nothing about what was to be judged. */
export const JudgedStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export type JudgedStatus = z.infer<typeof JudgedStatus>

/** The number of completed runs of a phase, and of all its runs; both are 0 for a phase without runs. */
export const runsOfPhase = { done: z.int().nonnegative(), total: z.int().nonnegative() }

/** The fields that all records with a verdict show. */
export const judgedFields = {
  id: z.string(),
  projectId: z.string(),
  url,
  /** Null for a commit of the repository. A snapshot may have been deleted since. */
  snapshotId: z.string().nullable(),
  status: JudgedStatus,
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** The earlier record for the same content whose result was used. */
  sameAs: z.string().nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
}

/** What a list shows of the evidence. */
export const reasonFields = { reason: z.string().nullable(), summary: z.string().nullable() }
