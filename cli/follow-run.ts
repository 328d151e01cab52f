import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { z } from 'zod'
import { coreFailure, type CoreClient } from '../client/core-client.ts'
import type { Credentials } from '../client/credentials.ts'
import { LogLine } from '../core/test-runs/log/schema.ts'
import { RunNews, RunStatus } from '../core/test-runs/schema.ts'

/** The fields that commands show, so that servers of other versions can be followed too. */
const ShownNews = RunNews.pick({ status: true, queue: true, progress: true })
const ShownEnd = RunStatus.pick({ status: true })

export type RunEvent =
  | { event: 'status'; data: z.infer<typeof ShownNews> }
  | { event: 'log'; data: LogLine }
  | { event: 'end'; data: z.infer<typeof ShownEnd> }

export interface Followed {
  runId: string
  /** The first line of the log; a negative number counts from the end. */
  from: number
  credentials: Pick<Credentials, 'baseUrl' | 'token'>
  signal: AbortSignal
  /** The connection was lost, and will be retried. */
  onLost: () => void
}

/** Core sends a heartbeat every 15 s. */
const silenceTimeoutMs = 40_000
const maxEventBytes = 1_048_576
/** Failed streams in a row, without a line between them, before this polls the log instead. */
const maxFailedStreams = 3
const retryDelayMs = 500
const pageLines = 500
/** Fast polling for the first minute, then slow: a token has 1,000 calls an hour, which other programs share. */
const [fastPollMs, fastForMs, slowPollMs] = [1_000, 60_000, 6_000]
/** Fails when the server has not answered for so long. */
const giveUpAfterMs = 120_000

/**
 * Follows a run until it ends, and yields each line of its log once and in order. Reconnects a lost connection at the
 * next line. Where events do not get through at all, polls instead.
 */
export async function* followRun(core: CoreClient, followed: Followed): AsyncGenerator<RunEvent> {
  let { from } = followed
  for (let failed = 0; failed < maxFailedStreams; failed++) {
    if (failed > 0) await sleep(retryDelayMs, undefined, { signal: followed.signal })
    try {
      for await (const event of readEvents({ ...followed, from })) {
        if (event.event === 'log') {
          // A repeated line is no progress.
          if (from >= 0 && event.data.line < from) continue
          from = event.data.line + 1
          failed = 0
        }
        yield event
        if (event.event === 'end') return
      }
    } catch (error) {
      followed.signal.throwIfAborted()
      if (!(error instanceof StreamFailure)) throw error
      if (error.isRefused) break
    }
    if (failed === 0) followed.onLost()
  }
  yield* poll(core, { ...followed, from })
}

/** The stream could not be opened, or it broke. */
class StreamFailure extends Error {
  override name = 'StreamFailure'
  /** A retry would not help. */
  isRefused = false
}

async function* readEvents({ runId, from, credentials, signal }: Followed): AsyncGenerator<RunEvent> {
  const { baseUrl, token } = credentials
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), silenceTimeoutMs)
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => void events.push(event), maxBufferSize: maxEventBytes })
  try {
    const response = await fetch(`${baseUrl}/api/test-runs/${encodeURIComponent(runId)}/events?from=${from}`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        ...(from > 0 ? { 'last-event-id': `${from - 1}` } : {}),
      },
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (response.status !== 200 || !isStream) {
      // The first page of the log reports a missing permission.
      throw Object.assign(new StreamFailure(`status ${response.status}`), { isRefused: response.status < 500 })
    }
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      timer.refresh()
      parser.feed(text)
      for (const event of events.splice(0)) yield* parse(event)
    }
  } catch (error) {
    throw error instanceof StreamFailure ? error : new StreamFailure('the stream broke', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Ignores events of later versions. */
function parse({ event, data }: EventSourceMessage): RunEvent[] {
  try {
    const value: unknown = JSON.parse(data)
    if (event === 'status') return [{ event, data: ShownNews.parse(value) }]
    if (event === 'log') return [{ event, data: LogLine.parse(value) }]
    if (event === 'end') return [{ event, data: ShownEnd.parse(value) }]
    return []
  } catch (cause) {
    throw Object.assign(new StreamFailure('the event is invalid', { cause }), { isRefused: true })
  }
}

async function* poll(core: CoreClient, { runId, from, signal, onLost }: Followed): AsyncGenerator<RunEvent> {
  let next = from
  const startedAt = performance.now()
  let answeredAt = startedAt
  let hasEnded = false
  for (;;) {
    const page = await core.testRuns.log.query({ runId, offset: next, limit: pageLines }).catch((error: unknown) => {
      if (!isTemporary(error) || performance.now() - answeredAt > giveUpAfterMs) throw error
      return undefined
    })
    if (page) {
      answeredAt = performance.now()
      const first = next
      for (const [index, text] of page.lines.entries()) {
        const line = page.offset + index
        if (line >= first) yield { event: 'log', data: { line, text } }
      }
      next = Math.max(first, page.offset + page.lines.length)
      if (next > first && next < page.totalLines) continue
      if (hasEnded) break
      // The last lines may be stored a moment after the end.
      hasEnded = !page.live
    } else onLost()
    await sleep(performance.now() - startedAt < fastForMs ? fastPollMs : slowPollMs, undefined, { signal })
  }
  const { reportedStatus: status } = await core.testRuns.get.query({ runId })
  yield { event: 'end', data: { status } }
}

/** Core restarts, or the network fails for a moment. */
function isTemporary(error: unknown): boolean {
  const failure = coreFailure(error)
  if (failure?.kind === 'refused') return failure.status >= 500 || failure.status === 429
  return failure?.kind === 'unreachable' || failure?.kind === 'timeout' || failure?.kind === 'not_core'
}
