import type { z } from 'zod'
import { invalid } from './errors.ts'

/** @throws AppError 400 that names every wrong field */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input)
  if (!parsed.success) throw invalid(describeIssues(parsed.error), { cause: parsed.error })
  return parsed.data
}

/** Names every field and what is wrong with it: `projectId: expected string, received undefined`. */
export function describeIssues(error: z.ZodError): string {
  const shown = error.issues.slice(0, 10).map((issue) => {
    const field = issue.path.map(String).join('.') || 'input'
    return `${field}: ${issue.message.replace(/^Invalid input: /, '')}`
  })
  const more = error.issues.length - shown.length
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
