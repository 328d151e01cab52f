import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import getRawBody from 'raw-body'
import type { z } from 'zod'
import { JsonProblem, scanJson } from '../../engines/json/scan.ts'
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
const bodies = new WeakMap<IncomingMessage, Promise<Buffer>>()

/**
 * Reads a request body, up to the limit. Later calls for the same request return the same bytes.
 *
 * @throws AppError 413 beyond the limit
 */
export function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  const known = bodies.get(req)
  if (known) return known
  const body = readBytes(req, limit)
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
    await readBody(req, limit)
  }
}

/** Reads a request body as bytes. Works once per request. */
export async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(req, { length: req.headers['content-length'], limit })
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined
    if (type === 'entity.too.large') {
      throw new AppError('PAYLOAD_TOO_LARGE', `The request body may have at most ${limit} bytes.`)
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
  const body = await readBody(ctx.req, limit)
  return parseInput(schema, body.length === 0 ? {} : parseJson(body))
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
  const fields = [...new URLSearchParams((await readBody(ctx.req, bodyLimits.form)).toString())]
  const values = new Map(fields)
  if (values.size < fields.length) throw invalid('Each form field may appear only once.')
  return parseInput(schema, Object.fromEntries(values))
}

/** Far more than any input needs, except whole analyses. */
export const maxValues = 20_000

/** @throws AppError 400 for invalid JSON or too many values */
export function parseJson(body: Buffer): unknown {
  requireFewValues(body)
  return JSON.parse(textOf(body))
}

/**
 * Rejects a body that is not JSON or has too many values, because parsing and validating it would block other requests.
 *
 * @throws AppError 400
 */
export function requireFewValues(body: Buffer): void {
  try {
    scanJson(body, { maxValues })
  } catch (error) {
    throw jsonError(error)
  }
}

/** Returns the text of JSON, which may begin with a mark of UTF-8. */
export const textOf = (body: Buffer): string => body.toString('utf8').replace(/^\uFEFF/, '')

/** Describes the problem of a JSON text. Other errors stay as they are. */
export function jsonError(error: unknown): unknown {
  if (!(error instanceof JsonProblem)) return error
  const message = {
    syntax: 'The request body is not valid JSON.',
    values: `The request body ${error.message}, which is the maximum.`,
    depth: `The request body ${error.message}.`,
  }[error.kind]
  return invalid(message, { cause: error })
}
