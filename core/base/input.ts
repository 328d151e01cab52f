import type { z } from 'zod'
import { type AppError, invalid } from './errors.ts'

/** @throws AppError 400 that names every wrong field */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input)
  if (!parsed.success) throw invalidInput(parsed.error)
  return parsed.data
}

/** Creates an error that names every invalid field: `projectId: is required`. */
export const invalidInput = (error: z.ZodError): AppError =>
  invalidFields(error.issues.slice(0, 10), Math.max(0, error.issues.length - 10), error)

/** @param more - the number of issues that are not listed */
export function invalidFields(
  found: readonly { path: readonly PropertyKey[]; message: string }[],
  more: number,
  cause?: unknown,
): AppError {
  const issues = found.map(({ path, message }) => ({ field: path.map(String).join('.'), message }))
  const shown = issues.map(({ field, message }) => `${field || 'input'}: ${message}`)
  const fields = [...new Set(issues.map(({ field }) => field).filter((field) => field !== ''))]
  const message = shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
  return invalid(message, { cause, hint: { kind: 'names', procedures: [], fields } })
}
