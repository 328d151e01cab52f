import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { coreFailure, type CoreClient } from '../client/core-client.ts'
import type { Credentials } from '../client/credentials.ts'
import { LogLine } from '../core/test-runs/log/schema.ts'
import { RunNews, RunStatus } from '../core/test-runs/schema.ts'

export type RunEvent =
  | { event: 'status'; data: Pick<RunNews, 'status' | 'queue' | 'progress'> }
  | { event: 'log'; data: LogLine }
  | { event: 'end'; data: Pick<RunStatus, 'status'> }

export interface Followed {
  runId: string
  /** The line of the log to begin with; below 0 so many before the end. */
  from: number
  credentials: Pick<Credentials, 'baseUrl' | 'token'>
  signal: AbortSignal
  /** Nothing comes for the time being. It is tried again. */
  onLost: () => void
}

/** Core says every 15 s that a connection lives. */
const silenceMs = 40_000
const longestEvent = 1_048_576
/** Streams that broke one after the other, with no line between them, before the log is asked for page by page. */
const mostBroken = 3
const restMs = 500
const pageLines = 500
/** A token has 1,000 calls an hour, which also others use. */
const [busyPollMs, busyForMs, pollMs] = [1_000, 60_000, 6_000]
/** How long nothing answers until we say so. */
const patienceMs = 120_000

/**
 * A run as it happens, each line of its log once and in order, until it has ended. A lost connection is made again and
 * goes on with the next line; where events do not get through at all, it is asked for instead.
 */
export async function* followRun(core: CoreClient, followed: Followed): AsyncGenerator<RunEvent> {
  let { from } = followed
  for (let broken = 0; broken < mostBroken; broken++) {
    if (broken > 0) await sleep(restMs, undefined, { signal: followed.signal })
    try {
      for await (const event of readEvents({ ...followed, from })) {
        if (event.event === 'log') {
          // What was told before is no progress.
          if (from >= 0 && event.data.line < from) continue
          from = event.data.line + 1
          broken = 0
        }
        yield event
        if (event.event === 'end') return
      }
    } catch (error) {
      followed.signal.throwIfAborted()
      if (!(error instanceof StreamFailure)) throw error
      if (error.isRefused) break
    }
    if (broken === 0) followed.onLost()
  }
  yield* poll(core, { ...followed, from })
}

/** The stream is not to be had, or broke. */
class StreamFailure extends Error {
  override name = 'StreamFailure'
  /** Asking again would not help. */
  isRefused = false
}

async function* readEvents({ runId, from, credentials, signal }: Followed): AsyncGenerator<RunEvent> {
  const { baseUrl, token } = credentials
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), silenceMs)
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => void events.push(event), maxBufferSize: longestEvent })
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
      // Who may not see the run is told so by the first page.
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

/** Events of later versions are none of ours. */
function parse({ event, data }: EventSourceMessage): RunEvent[] {
  try {
    const value: unknown = JSON.parse(data)
    if (event === 'status') return [{ event, data: RunNews.parse(value) }]
    if (event === 'log') return [{ event, data: LogLine.parse(value) }]
    if (event === 'end') return [{ event, data: RunStatus.parse(value) }]
    return []
  } catch (cause) {
    throw Object.assign(new StreamFailure('the event is not understood', { cause }), { isRefused: true })
  }
}

async function* poll(core: CoreClient, { runId, from, signal, onLost }: Followed): AsyncGenerator<RunEvent> {
  let next = from
  const startedAt = performance.now()
  let answeredAt = startedAt
  let hasEnded = false
  for (;;) {
    const page = await core.testRuns.log.query({ runId, offset: next, limit: pageLines }).catch((error: unknown) => {
      if (!isPassing(error) || performance.now() - answeredAt > patienceMs) throw error
      return undefined
    })
    if (page) {
      answeredAt = performance.now()
      const told = next
      for (const [index, text] of page.lines.entries()) {
        const line = page.offset + index
        if (line >= told) yield { event: 'log', data: { line, text } }
      }
      next = Math.max(told, page.offset + page.lines.length)
      if (next > told && next < page.totalLines) continue
      if (hasEnded) break
      // Its last lines may be stored a moment later.
      hasEnded = !page.live
    } else onLost()
    await sleep(performance.now() - startedAt < busyForMs ? busyPollMs : pollMs, undefined, { signal })
  }
  const { reportedStatus: status } = await core.testRuns.get.query({ runId })
  yield { event: 'end', data: { status } }
}

/** Core is restarted, or the way to it is broken for a moment. */
function isPassing(error: unknown): boolean {
  const failure = coreFailure(error)
  if (failure?.kind === 'refused') return failure.status >= 500 || failure.status === 429
  return failure?.kind === 'unreachable' || failure?.kind === 'timeout' || failure?.kind === 'not_core'
}
