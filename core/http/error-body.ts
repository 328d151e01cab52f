import { z } from 'zod'
import { type ErrorCode, errorMappings } from '../base/errors.ts'
import { ErrorHint } from '../base/schema.ts'

/** The body of every REST error. */
export const ErrorBody = z.object({
  error: z.string().describe('The HTTP reason phrase, or a fixed phrase in its place'),
  message: z.string().describe('What happened and, where possible, what to do next'),
  code: z.enum(Object.keys(errorMappings) as ErrorCode[]),
  requestId: z.string().optional().describe('With status 500: the id of the request in the log'),
  retryAfter: z.int().optional().describe('With status 429 and 503: seconds to wait before the next attempt'),
  hint: ErrorHint.optional().describe('The content of the message in machine-readable form'),
})
export type ErrorBody = z.infer<typeof ErrorBody>
