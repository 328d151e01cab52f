import { z } from 'zod'
import { AppError } from '../../base/errors.ts'
import { noUsableAnswer } from '../problems.ts'
import type { CodeHostClient } from '../rest-client.ts'

export const sha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
export const text = z.string().transform((value) => value.toWellFormed().replaceAll('\0', '').slice(0, 2_048))
export const number = z.int().positive()

/** Parses an answer of a code host. @throws AppError TIMEOUT if it has another format */
export function parseAnswer<Schema extends z.ZodType>(schema: Schema, data: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(data)
  if (parsed.success) return parsed.data
  throw noUsableAnswer('its format differs from the API of the code host')
}

/** Returns undefined if the code host answers that the object does not exist. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** Creating an object again after an unclear answer would create a second one, so the caller decides. */
export const once = { request: { retries: 0 } }

const maxPages = 30

/** Returns the first object of a list that matches, page by page. */
export async function findInPages<Schema extends z.ZodType>(
  { paginate }: CodeHostClient,
  route: string,
  { schema, parameters, matches }: FindOptions<Schema>,
): Promise<z.infer<Schema> | undefined> {
  let pages = 0
  for await (const { data } of paginate.iterator(route, { per_page: 100, ...parameters })) {
    const found = parseAnswer(z.array(schema), data).find((each) => matches(each))
    if (found !== undefined) return found
    if (++pages === maxPages) return undefined
  }
  return undefined
}

interface FindOptions<Schema extends z.ZodType> {
  schema: Schema
  parameters: Record<string, unknown>
  matches: (each: z.infer<Schema>) => boolean
}

/** What the account of a token lacks, for `findMissing`. */
export const invisible =
  'The token cannot see the repository. Create it with an account that can, and with access to this repository.'
export const readOnly = (scopes: string) =>
  `The account of the token may not push to the repository, so it can neither post results nor comments. Give it write access, and the token ${scopes}.`
