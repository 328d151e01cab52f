import type { ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { Context } from '../base/context.ts'
import { AppError, unavailable } from '../base/errors.ts'
import type { RequestState } from '../http/request-state.ts'
import type { Answer } from '../http/route.ts'
import { writeChunk } from '../http/write-chunk.ts'
import type { FileRow } from './entity.ts'
import { missingFile } from './get.ts'
import { readRange } from './range.ts'
import type { ByteRange } from './storage/storage.ts'

/** A client that reads nothing for this long is disconnected, since it holds a connection and an open file. */
const stallMs = 60_000

/**
 * Sends a file or the requested range of it, or 304 if the client has the file already.
 *
 * @param headers - headers that tell browsers how to treat the file
 */
export async function sendFile(
  ctx: Pick<Context, 'log' | 'requestId' | 'signal' | 'storage'>,
  koa: Koa.ParameterizedContext<RequestState>,
  file: FileRow,
  headers: Record<string, string>,
): Promise<Answer> {
  koa.set({
    ETag: etagOf(file),
    'Last-Modified': file.createdAt.toUTCString(),
    'Accept-Ranges': 'bytes',
    // Clients must revalidate each time, so that a user who lost access cannot use a cached copy.
    'Cache-Control': 'private, no-cache',
  })
  if (isKnown(koa, file)) return { status: 304, headers }
  const range = rangeOf(koa, file)
  const length = range ? range.end - range.start + 1 : file.size
  const answer = {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'Content-Length': String(length),
      ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${file.size}` } : {}),
    },
  }
  if (koa.method === 'HEAD') return answer

  await using opened = await openStored(ctx, file, range)
  if (opened?.size !== file.size) {
    ctx.log.error({ requestId: ctx.requestId, fileId: file.id, size: opened?.size }, 'a stored file has changed')
    throw missingFile()
  }
  koa.respond = false
  koa.set(answer.headers)
  koa.status = answer.status
  koa.res.setTimeout(stallMs)
  await write(koa.res, opened.chunks, length, ctx.signal)
  return answer
}

/** @throws AppError 503 if the storage does not respond, since the file may exist */
async function openStored(ctx: Pick<Context, 'signal' | 'storage'>, file: FileRow, range: ByteRange | undefined) {
  try {
    return await ctx.storage.open(file.storageKey, range, ctx.signal)
  } catch (cause) {
    throw unavailable('The file storage does not answer. Try again in a minute.', 60, { cause })
  }
}

/**
 * Writes exactly the announced length, or throws if the file is shorter or longer. The connection is then closed early,
 * which tells the client that the file is incomplete. Returns silently if the client disconnects.
 */
async function write(res: ServerResponse, chunks: AsyncIterable<Buffer>, length: number, signal: AbortSignal) {
  let rest = length
  try {
    for await (const chunk of chunks) {
      rest -= chunk.length
      if (rest < 0) break
      if (!(await writeChunk(res, chunk, signal))) return
    }
  } catch (error) {
    // The storage throws, too, when the signal aborts.
    if (signal.aborted) return
    throw error
  }
  if (rest !== 0) throw new Error(`The stored file is ${rest > 0 ? 'shorter' : 'longer'} than recorded.`)
  res.end()
}

/** Derived from the content, so that equal bytes have equal tags. */
const etagOf = ({ sha256 }: FileRow) => `"${sha256}"`

/**
 * Checks whether the client has the file already. Koa's `fresh` is not used: it says no if the request has
 * `Cache-Control: no-cache`, which browsers add when script sends `If-None-Match`.
 */
function isKnown(koa: Koa.ParameterizedContext<RequestState>, file: FileRow): boolean {
  const tags = koa.get('If-None-Match')
  if (tags !== '') {
    return tags.split(',').some((tag) => ['*', etagOf(file)].includes(tag.trim().replace(/^W\//, '')))
  }
  // A malformed date becomes NaN, and the comparison is false.
  return Math.floor(file.createdAt.getTime() / 1_000) * 1_000 <= Date.parse(koa.get('If-Modified-Since'))
}

/** @throws AppError 416 */
function rangeOf(koa: Koa.ParameterizedContext<RequestState>, file: FileRow): ByteRange | undefined {
  const condition = koa.get('If-Range')
  const unchanged = ['', etagOf(file), file.createdAt.toUTCString()].includes(condition)
  const range = koa.method === 'GET' && unchanged ? readRange(koa.get('Range'), file.size) : undefined
  if (range === null) {
    throw new AppError('RANGE_NOT_SATISFIABLE', `The file has ${file.size} bytes.`, {
      headers: { 'Content-Range': `bytes */${file.size}` },
    })
  }
  return range
}
