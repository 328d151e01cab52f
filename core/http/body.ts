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

/** Bodies that are read, or being read. */
const bodies = new WeakMap<IncomingMessage, Promise<string>>()

/**
 * Reads a request body as text, and no further than the limit. Read again, it is the same.
 *
 * @throws AppError 413 beyond the limit; the connection is closed, since the rest stays unread
 */
export function readText(req: IncomingMessage, limit: number): Promise<string> {
  const known = bodies.get(req)
  if (known) return known
  const body = readBytes(req, limit).then((bytes) => bytes.toString('utf8'))
  bodies.set(req, body)
  return body
}

/**
 * Waits for a body of JSON or of a form, so that a credential is looked at when the whole request is there: one that is
 * revoked while the body still trickles in is revoked. Others are for their route to read.
 */
export async function readAhead(req: IncomingMessage, limit: number): Promise<void> {
  const type = contentType(req)
  if (hasBody(req) && (type === 'application/json' || type === 'application/x-www-form-urlencoded')) {
    await readText(req, limit)
  }
}

/** As `readText`, byte for byte, and once. */
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

/** Whether a body was announced at all. */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

/** @throws AppError 415 where a body is there that is not called JSON */
export function requireJson(req: IncomingMessage): void {
  if (hasBody(req) && contentType(req) !== 'application/json') {
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
  if (contentType(ctx.req) !== 'application/x-www-form-urlencoded') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'This takes what the form of its page sends.')
  }
  const fields = [...new URLSearchParams(await readText(ctx.req, bodyLimits.form))]
  const values = new Map(fields)
  if (values.size < fields.length) throw invalid('Each form field may appear only once.')
  return parseInput(schema, Object.fromEntries(values))
}

/** What no input of ours comes near, save for whole analyses. */
export const maxValues = 20_000
export const maxAnalysisValues = 600_000

/**
 * @param most - infinite where only few fields are looked at, however many there are
 * @throws AppError 400, without the parser's own words; also for more values than that
 */
export function parseJson(text: string, most = maxValues): unknown {
  requireFewValues(text, most)
  return parse(text)
}

/**
 * So many wrong values that merely saying what is wrong with each would hold everybody else up are refused at once.
 *
 * @throws AppError 400
 */
export function requireFewValues(text: string, most: number): void {
  // Each takes two characters at least.
  if (text.length > 2 * most && hasMoreValues(parse(text), most)) {
    throw invalid(`The request body has more than ${most} values.`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid('The request body is not valid JSON.', { cause: error })
  }
}

/** Counts without recursion, since depth is the sender's choice. */
function hasMoreValues(value: unknown, most: number): boolean {
  const open = [value]
  let count = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const inner = Object.values(next)
    count += inner.length
    if (count > most) return true
    for (const each of inner) if (typeof each === 'object' && each !== null) open.push(each)
  }
  return false
}
