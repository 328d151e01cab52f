import { z } from 'zod'

// Zod's own messages describe types to programmers. A message that a schema names stays.
z.config({ customError: (issue) => messageOf(issue) })

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      return `must be ${kinds[issue.expected] ?? `of the type ${issue.expected}`}`
    case 'too_small':
      if (issue.minimum === 1 && issue.origin !== 'number') return 'must not be empty'
      return `must ${amount(issue.origin, 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${amount(issue.origin, 'at most', issue.maximum)}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => String(value)).join(', ')}`
    case 'unrecognized_keys':
      return `has the unknown field ${issue.keys.join(', ')}`
    case 'invalid_union':
      return 'has none of the accepted forms'
    case 'invalid_format':
      return formats[issue.format] === undefined ? 'has an invalid form' : `must be ${formats[issue.format]}`
    default:
      return undefined
  }
}

function amount(origin: string, limit: 'at least' | 'at most', value: number | bigint): string {
  const [one, many] = origin === 'string' ? ['character', 'characters'] : ['entry', 'entries']
  return origin === 'number' || origin === 'int' || origin === 'bigint' || origin === 'date'
    ? `be ${limit} ${value}`
    : `have ${limit} ${value} ${value === 1 ? one : many}`
}

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const formats: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  datetime: 'a date and time in ISO 8601, such as 2026-01-31T12:00:00Z',
  date: 'a date, such as 2026-01-31',
  uuid: 'a UUID',
}

/** The page of the dashboard that shows the record. */
export const url = z.string()

/** The member of an organization on whose behalf an integration calls. */
export const userEmail = z.string().max(320).optional()

export const branch = z.string().trim().min(1).max(255)

export const commitSha = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, 'must be a full commit id: 40 or 64 hexadecimal digits')
  .transform((id) => id.toLowerCase())

/** A commit id, or as much of its beginning as git prints. */
export const commitPrefix = z
  .string()
  .regex(/^[0-9a-fA-F]{7,64}$/, 'must be a commit id or its beginning: 7 to 64 hexadecimal digits')
  .transform((id) => id.toLowerCase())

/** The requested part of a list. */
export const page = { limit: z.int().min(1).max(100).default(20), offset: z.int().min(0).default(0) }

export const Pagination = z.object({ total: z.int(), limit: z.int(), offset: z.int() })

/** The time that the call may wait for the work to complete. */
export const waitSeconds = z.number().min(0).max(45).default(0)
