import { z } from 'zod'

export const TestRunStatus = z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'])
export type TestRunStatus = z.infer<typeof TestRunStatus>

/** A run as its project's page lists it. */
export const TestRunSummary = z.object({
  id: z.string(),
  status: TestRunStatus,
  passedTests: z.int(),
  totalTests: z.int(),
  createdAt: z.iso.datetime(),
})
export type TestRunSummary = z.infer<typeof TestRunSummary>
