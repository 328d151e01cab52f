import type { ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { Context } from '../base/context.ts'
import type { Answer } from './route.ts'
import type { RequestState } from './request.ts'

/** One of what browsers call server-sent events. */
export interface ServerEvent {
  event: string
  /** What a reader who was cut off names in `Last-Event-ID`. */
  id?: string
  data: unknown
}

/** How soon a reader that was cut off comes again. */
const retryMs = 2_000

const defaults = {
  /** Keeps proxies from taking a quiet connection for a dead one. */
  heartbeatMs: 15_000,
  /** A reader who takes nothing for so long is gone. */
  stallMs: 60_000,
}

const answer: Answer = {
  status: 200,
  headers: {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    // So that a program that stops need not wait for the reader to close it.
    Connection: 'close',
  },
}

/**
 * Answers with events as they come. The next batch is asked for when the reader has taken the one before, so that a
 * slow one makes us hold no more than one. An empty batch gives the occasion to see whether a heartbeat is due.
 */
export async function sendEvents(
  { signal }: Pick<Context, 'signal'>,
  koa: Koa.ParameterizedContext<RequestState>,
  batches: AsyncIterable<readonly ServerEvent[]>,
  { heartbeatMs, stallMs } = defaults,
): Promise<Answer> {
  if (koa.method === 'HEAD') return answer
  koa.respond = false
  koa.status = answer.status
  koa.set(answer.headers ?? {})
  koa.res.setTimeout(stallMs)
  let text = `retry: ${retryMs}\n\n`
  let wroteAt = performance.now()
  if (!(await written(koa.res, text, signal))) return answer
  for await (const events of batches) {
    text = events.map(encode).join('')
    if (text === '' && performance.now() - wroteAt < heartbeatMs) continue
    if (!(await written(koa.res, text || ':\n\n', signal))) return answer
    wroteAt = performance.now()
  }
  koa.res.end()
  return answer
}

/** JSON has no line ends of its own, which would end the field. */
function encode({ event, id, data }: ServerEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Waits until the kernel has it, which is the back-pressure; false if it cannot. */
function written(res: ServerResponse, text: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = () => resolve(false)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    res.write(text, (error) => {
      signal.removeEventListener('abort', leave)
      resolve(!error)
    })
  })
}
