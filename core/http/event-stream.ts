import type Koa from 'koa'
import type { Context } from '../base/context.ts'
import type { Answer } from './route.ts'
import type { RequestState } from './request-state.ts'
import { writeChunk } from './write-chunk.ts'

/** A server-sent event. */
export interface ServerEvent {
  event: string
  /** The client sends it back in `Last-Event-ID` when it reconnects. */
  id?: string
  data: unknown
}

/** The delay before a disconnected client reconnects. */
const retryMs = 2_000

const defaults = {
  /** Prevents proxies from closing an idle connection. */
  heartbeatMs: 15_000,
  /** A client that reads nothing for this time is disconnected. */
  stallMs: 60_000,
}

const answer: Answer = {
  status: 200,
  headers: {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    // A server that stops must not wait for the client to close the connection.
    Connection: 'close',
  },
}

/**
 * Streams events. Requests the next batch only after the client has read the previous one, so that a slow client holds
 * at most one batch in memory. An empty batch only triggers a heartbeat if one is due.
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
  if (!(await writeChunk(koa.res, text, signal))) return answer
  for await (const events of batches) {
    text = events.map(encode).join('')
    if (text === '' && performance.now() - wroteAt < heartbeatMs) continue
    if (!(await writeChunk(koa.res, text || ':\n\n', signal))) return answer
    wroteAt = performance.now()
  }
  koa.res.end()
  return answer
}

/** JSON.stringify writes no line breaks, which would end the field. */
function encode({ event, id, data }: ServerEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
