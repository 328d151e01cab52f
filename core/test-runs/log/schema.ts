import { z } from 'zod'
import { userEmail } from '../../base/input-fields/schema.ts'

export const ReadLog = z.object({
  runId: z.string(),
  /** The number of the first line, from 0. -100 starts 100 lines before the end. */
  offset: z.int().default(0),
  limit: z.int().min(1).max(1_000).default(200),
  userEmail,
})
export type ReadLog = z.infer<typeof ReadLog>

export const LogPage = z.object({
  lines: z.array(z.string()),
  /** The number of the first of these lines. */
  offset: z.int(),
  totalLines: z.int(),
  /** Whether the run has not ended, so that more lines may follow. */
  live: z.boolean(),
})
export type LogPage = z.infer<typeof LogPage>

/** The data of the event `log`. */
export const LogLine = z.object({ line: z.int(), text: z.string() })
export type LogLine = z.infer<typeof LogLine>
