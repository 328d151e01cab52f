import { safeParse, type z } from 'zod'
import { cleanLine, shorten } from '../../client/sanitize.ts'

export type ParsedArguments<Schema extends z.ZodObject> =
  | { input: z.output<Schema>; problem?: undefined }
  | { input?: undefined; problem: string }

/**
 * Reads a tool's arguments the way agents send them: numbers, booleans and lists may arrive as strings, and an
 * optional argument that is null or empty counts as absent. Reports all problems in one line.
 *
 * @param unlisted - arguments that messages to this caller do not name
 */
export function parseArguments<Schema extends z.ZodObject>(
  schema: Schema,
  given: unknown,
  unlisted: readonly string[] = [],
): ParsedArguments<Schema> {
  const known = Object.keys(schema.shape)
  const named = known.filter((name) => !unlisted.includes(name))
  const list = named.length === 0 ? 'this tool takes none' : `the arguments are ${named.join(', ')}`
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    return { problem: `arguments must be an object; ${list}` }
  }
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== null && value !== '')
  const unknown = entries.filter(([name]) => !known.includes(name)).map(([name]) => shorten(cleanLine(name), 40))
  if (unknown.length > 0) return { problem: `unknown argument ${unknown.slice(0, 5).join(', ')}; ${list}` }

  const meant = Object.fromEntries(entries.map(([name, value]) => [name, asMeant(schema.shape[name], value)]))
  const parsed = schema.safeParse(meant)
  if (parsed.success) return { input: parsed.data }
  const problems = parsed.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`)
  return { problem: `${problems.join('; ')}; ${list}` }
}

/** Parses a string where the field accepts no strings. */
function asMeant(field: z.core.$ZodType | undefined, value: unknown): unknown {
  if (typeof value !== 'string' || !field) return value
  const { error } = safeParse(field, value)
  if (error?.issues[0]?.code !== 'invalid_type') return value
  const text = value.trim()
  try {
    return JSON.parse(/^(?:true|false)$/i.test(text) ? text.toLowerCase() : text)
  } catch {
    return value
  }
}
