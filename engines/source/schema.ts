import { z } from 'zod'

/** Something that the analysis left out or could not read, and why. */
export const AnalysisWarning = z.object({
  code: z.enum([
    'quarantined',
    'unparsed',
    'too_large',
    'limit_reached',
    'history_unknown',
    'coverage_unknown',
    'missing_content',
  ]),
  message: z.string(),
  path: z.string().optional(),
})
export type AnalysisWarning = z.infer<typeof AnalysisWarning>
