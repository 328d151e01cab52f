import { z } from 'zod'
import { type ErrorCode, errorMappings } from '../base/errors.ts'
import { ErrorHint } from '../base/schema.ts'

/** The body of every REST answer that says no. */
export const ErrorBody = z.object({
  error: z.string().describe('The HTTP reason phrase, or what stands for it'),
  message: z.string().describe('What happened and, where possible, what to do next'),
  code: z.enum(Object.keys(errorMappings) as ErrorCode[]),
  requestId: z.string().optional().describe('With status 500: what the log calls this request'),
  retryAfter: z.int().optional().describe('With status 429: seconds until the same call has a chance'),
  hint: ErrorHint.optional().describe('What the message says, for a program'),
})
export type ErrorBody = z.infer<typeof ErrorBody>
