import { z } from 'zod'
import { userEmail } from '../../base/input-fields/schema.ts'

export const ReadLog = z.object({
  runId: z.string(),
  /** The line to begin with, from 0; -100 begins a hundred lines before the end. */
  offset: z.int().default(0),
  /** Lines. */
  limit: z.int().min(1).max(1_000).default(200),
  userEmail,
})
export type ReadLog = z.infer<typeof ReadLog>

export const LogPage = z.object({
  lines: z.array(z.string()),
  /** The number of the first of them. */
  offset: z.int(),
  totalLines: z.int(),
  /** Whether more may come: the run has not ended. */
  live: z.boolean(),
})
export type LogPage = z.infer<typeof LogPage>

/** What the event `log` tells. */
export const LogLine = z.object({ line: z.int(), text: z.string() })
export type LogLine = z.infer<typeof LogLine>
