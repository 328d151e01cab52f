import { z } from 'zod'

export const TestRunStatus = z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'])
export type TestRunStatus = z.infer<typeof TestRunStatus>

/** What an event of the code host that asks for a run gets. */
export const RequestedRun = z.object({ kind: z.literal('run'), status: z.literal('not_built'), message: z.string() })
export type RequestedRun = z.infer<typeof RequestedRun>

/** A run as its project's page lists it. */
export const TestRunSummary = z.object({
  id: z.string(),
  status: TestRunStatus,
  passedTests: z.int(),
  totalTests: z.int(),
  createdAt: z.iso.datetime(),
})
export type TestRunSummary = z.infer<typeof TestRunSummary>
