import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import getRawBody from 'raw-body'
import type { z } from 'zod'
import { AppError, invalid } from '../base/errors.ts'
import { parseInput } from '../base/input.ts'

export const bodyLimits = {
  json: 1_048_576,
  analysis: 8 * 1_048_576,
  form: 65_536,
  inbound: 25 * 1_048_576,
  upload: 50 * 1_048_576,
}

/** Bodies that were read or are being read. */
const bodies = new WeakMap<IncomingMessage, Promise<string>>()

/**
 * Reads a request body as text, up to the limit. Later calls for the same request return the same text.
 *
 * @throws AppError 413 beyond the limit; closes the connection, because the rest stays unread
 */
export function readText(req: IncomingMessage, limit: number): Promise<string> {
  const known = bodies.get(req)
  if (known) return known
  const body = readBytes(req, limit).then((bytes) => bytes.toString('utf8'))
  bodies.set(req, body)
  return body
}

/**
 * Reads a JSON or form body before the credential is checked, so that a credential that is revoked while a slow body
 * arrives is rejected. The routes read bodies of other types.
 */
export async function readAhead(req: IncomingMessage, limit: number): Promise<void> {
  const type = contentType(req)
  if (hasBody(req) && (type === 'application/json' || type === 'application/x-www-form-urlencoded')) {
    await readText(req, limit)
  }
}

/** Reads a request body as bytes. Works once per request. */
export async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(req, { length: req.headers['content-length'], limit })
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined
    if (type === 'entity.too.large') {
      throw new AppError('PAYLOAD_TOO_LARGE', `The request body may have at most ${limit} bytes.`, {
        headers: { Connection: 'close' },
      })
    }
    throw invalid('The request body ended early.', { cause: error })
  }
}

export function contentType(req: IncomingMessage): string | undefined {
  return req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}

/** Returns whether the headers announce a body. */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

/** @throws AppError 415 for a body without the content type of JSON */
export function requireJson(req: IncomingMessage): void {
  if (hasBody(req) && contentType(req) !== 'application/json') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON with the header Content-Type: application/json.')
  }
}

/** Parses a JSON body with the schema. A missing body counts as an empty object. */
export async function readJson<Schema extends z.ZodType>(
  ctx: Koa.Context,
  schema: Schema,
  limit = bodyLimits.json,
): Promise<z.infer<Schema>> {
  requireJson(ctx.req)
  const text = await readText(ctx.req, limit)
  return parseInput(schema, text === '' ? {} : parseJson(text))
}

/**
 * Parses the body of an HTML form with the schema.
 *
 * @throws AppError 415 for another content type; 400 for a field that appears twice
 */
export async function readForm<Schema extends z.ZodType>(ctx: Koa.Context, schema: Schema): Promise<z.infer<Schema>> {
  if (contentType(ctx.req) !== 'application/x-www-form-urlencoded') {
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send a form with the header Content-Type: application/x-www-form-urlencoded.',
    )
  }
  const fields = [...new URLSearchParams(await readText(ctx.req, bodyLimits.form))]
  const values = new Map(fields)
  if (values.size < fields.length) throw invalid('Each form field may appear only once.')
  return parseInput(schema, Object.fromEntries(values))
}

/** Far more than any input needs, except whole analyses. */
export const maxValues = 20_000
export const maxAnalysisValues = 600_000

/**
 * @param max - the number of values; infinite if the route reads only few fields
 * @throws AppError 400 for invalid JSON or too many values
 */
export function parseJson(text: string, max = maxValues): unknown {
  requireFewValues(text, max)
  return parse(text)
}

/**
 * Rejects input with too many values, because validating it would block other requests.
 *
 * @throws AppError 400
 */
export function requireFewValues(text: string, max: number): void {
  // Each value takes at least two characters.
  if (text.length > 2 * max && hasMoreValues(parse(text), max)) {
    throw invalid(`The request body has more than ${max} values, which is the maximum.`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid('The request body is not valid JSON.', { cause: error })
  }
}

/** Counts without recursion, because the sender chooses the depth. */
function hasMoreValues(value: unknown, max: number): boolean {
  const open = [value]
  let count = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const inner = Object.values(next)
    count += inner.length
    if (count > max) return true
    for (const each of inner) if (typeof each === 'object' && each !== null) open.push(each)
  }
  return false
}
