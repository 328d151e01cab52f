import type { ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { Context } from '../base/context.ts'
import { AppError, unavailable } from '../base/errors.ts'
import type { RequestState } from '../http/request.ts'
import type { Answer } from '../http/route.ts'
import type { FileRow } from './entity.ts'
import { missingFile } from './get.ts'
import { readRange } from './range.ts'
import type { ByteRange } from './storage/storage.ts'

/** A reader who takes nothing for so long is gone, or keeps a connection and an open file for nothing. */
const stallMs = 60_000

/**
 * Answers with a file, or the part of it that was asked for, as far as the reader does not have it already.
 *
 * @param headers - what browsers are to make of it
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
    // May be kept, but is asked for every time: who lost the right to it gets it no more.
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

/** @throws AppError 503 where the storage does not answer, which says nothing about the file */
async function openStored(ctx: Pick<Context, 'signal' | 'storage'>, file: FileRow, range: ByteRange | undefined) {
  try {
    return await ctx.storage.open(file.storageKey, range, ctx.signal)
  } catch (cause) {
    throw unavailable('The file storage does not answer. Try again in a minute.', 60, { cause })
  }
}

/**
 * Writes what was announced, and fails where there is less or more: a reader takes a connection that ends early for
 * what it is, and would wait for ever for the rest. Ends quietly where the reader leaves.
 */
async function write(res: ServerResponse, chunks: AsyncIterable<Buffer>, length: number, signal: AbortSignal) {
  let rest = length
  try {
    for await (const chunk of chunks) {
      rest -= chunk.length
      if (rest < 0) break
      if (!(await written(res, chunk, signal))) return
    }
  } catch (error) {
    // A storage that is told of it stops, too.
    if (signal.aborted) return
    throw error
  }
  if (rest !== 0) throw new Error(`The stored file has ${rest > 0 ? 'lost its end' : 'grown'} meanwhile.`)
  res.end()
}

/** Waits until the kernel has it, which is the back-pressure, and when the chunk may be used again; false if it cannot. */
function written(res: ServerResponse, chunk: Buffer, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = () => resolve(false)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    res.write(chunk, (error) => {
      signal.removeEventListener('abort', leave)
      resolve(!error)
    })
  })
}

/** Of the content, so that it is the same for the same bytes. */
const etagOf = ({ sha256 }: FileRow) => `"${sha256}"`

/**
 * Whether the reader has the file already. Koa's own `fresh` says no wherever a cache on the way is told to ask, as
 * script does that sends an ETag of its own.
 */
function isKnown(koa: Koa.ParameterizedContext<RequestState>, file: FileRow): boolean {
  const tags = koa.get('If-None-Match')
  if (tags !== '') {
    return tags.split(',').some((tag) => ['*', etagOf(file)].includes(tag.trim().replace(/^W\//, '')))
  }
  // A time that cannot be read is not a number, and before nothing.
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
