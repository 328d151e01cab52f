import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import type { Config } from '../config.ts'
import { AppError } from '../base/errors.ts'
import { hasBody } from './body.ts'
import { errorBody } from './request.ts'

/** How long bodies may take. */
type BodyTimes = Config['bodyTimes']

/** Ends clients that hold a connection with a few bytes at a time. */
export const minBytesPerSecond = 64 * 1_024

/** The time limits of bodies that have not arrived. */
const limits = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Answers 408 and disconnects if the body has not arrived in time, unless `readUpload` reads it. */
export function limitBodyTime(req: IncomingMessage, res: ServerResponse, { requestMs }: Pick<BodyTimes, 'requestMs'>) {
  if (!hasBody(req)) return
  const limit = setTimeout(() => {
    if (req.complete) return
    // The response of an earlier request on this connection may not be complete.
    if (res.headersSent || res.socket === null) req.socket.destroy()
    else refuse(res, `The request body did not arrive within ${secondsText(requestMs)}.`)
  }, requestMs)
  limits.set(req, limit)
  req.once('close', () => clearTimeout(limit))
}

function refuse(res: ServerResponse, message: string): void {
  const body = JSON.stringify(errorBody(tooSlow(message), ''))
  // Node then closes the connection.
  res.writeHead(408, { Connection: 'close', 'Content-Type': 'application/json', 'Content-Length': body.length })
  res.end(body)
}

const tooSlow = (message: string) => new AppError('REQUEST_TIMEOUT', message)

const secondsText = (ms: number) => `${Math.round(ms / 1_000)} s`

/**
 * Reads a body that may be larger than others: it has more time for every byte that has arrived. Does not destroy the
 * request, because that would close the connection before the response is sent.
 *
 * @throws AppError 408 if too few bytes arrive
 */
export async function* readUpload(req: IncomingMessage, times: BodyTimes): AsyncGenerator<Buffer> {
  clearTimeout(limits.get(req))
  const startedAt = performance.now()
  let bytes = 0
  const leftMs = () => {
    const earned = (bytes / minBytesPerSecond) * 1_000
    return startedAt + Math.min(times.requestMs + earned, times.uploadMs) - performance.now()
  }
  const chunks = new PassThrough()
  const check = () => {
    const left = leftMs()
    if (left > 0) timer = setTimeout(check, left)
    else chunks.destroy(tooSlow(whyTooSlow(bytes, performance.now() - startedAt, times)))
  }
  let timer = setTimeout(check, leftMs())
  const fail = (error: Error) => void chunks.destroy(error)
  req.once('error', fail).pipe(chunks)
  try {
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      bytes += chunk.length
      yield chunk
    }
  } finally {
    clearTimeout(timer)
    req.unpipe(chunks).off('error', fail)
  }
}

function whyTooSlow(bytes: number, ms: number, { requestMs, uploadMs }: BodyTimes): string {
  const arrived = `${Math.floor(bytes / 1_024).toLocaleString('en')} KiB arrived in ${secondsText(ms)}`
  return (
    `The upload is too slow: ${arrived}. An upload may take ${secondsText(requestMs)}, and 1 s more for every ` +
    `${minBytesPerSecond / 1_024} KiB, up to ${secondsText(uploadMs)}. Use a faster connection, or send less.`
  )
}
