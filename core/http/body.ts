import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import getRawBody from 'raw-body'
import type { z } from 'zod'
import { AppError, invalid } from '../errors.ts'
import { describeIssues } from '../trpc.ts'

export const bodyLimits = { json: 1_048_576, analysis: 8 * 1_048_576, form: 65_536, inbound: 25 * 1_048_576 }

/**
 * Reads a request body as text, and no further than the limit.
 *
 * @throws AppError 413 beyond the limit; the connection is closed, since the rest stays unread
 */
export async function readText(req: IncomingMessage, limit: number): Promise<string> {
  return (await readBytes(req, limit)).toString('utf8')
}

/** As `readText`, byte for byte. */
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
    throw invalid('The request body did not arrive whole.', { cause: error })
  }
}

/** Whether a body was announced at all. */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

/** @throws AppError 415 where a body is there that is not called JSON */
export function requireJson(req: IncomingMessage): void {
  const type = req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (hasBody(req) && type !== 'application/json') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON with the header Content-Type: application/json.')
  }
}

/** The request body in the shape that the route asks for; an absent body is an empty object. */
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
 * What a page's form posted, in the shape that the route asks for.
 *
 * @throws AppError 415 for another content type; 400 for a field that is there twice, of which nobody knows which counts
 */
export async function readForm<Schema extends z.ZodType>(ctx: Koa.Context, schema: Schema): Promise<z.infer<Schema>> {
  const type = ctx.req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'This takes what the form of its page sends.')
  }
  const fields = [...new URLSearchParams(await readText(ctx.req, bodyLimits.form))]
  const values = new Map(fields)
  if (values.size < fields.length) throw invalid('Each field may be there once.')
  return parseInput(schema, Object.fromEntries(values))
}

/** @throws AppError 400, without the parser's own words */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid('The request body is not valid JSON.', { cause: error })
  }
}

/** @throws AppError 400 that names every wrong field */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input)
  if (!parsed.success) throw invalid(describeIssues(parsed.error), { cause: parsed.error })
  return parsed.data
}
