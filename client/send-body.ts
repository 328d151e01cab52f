import { createReadStream } from 'node:fs'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { ErrorHint } from '../core/base/schema.ts'
import { CallFailed, type CoreFailure } from './core-client.ts'
import type { Credentials } from './credentials.ts'

export interface SentBody<Answer> {
  credentials: Pick<Credentials, 'baseUrl' | 'token'>
  path: string
  headers?: Record<string, string>
  /** Makes the body anew for each attempt. The signal aborts when the attempt has ended. */
  body: (ended: AbortSignal) => NonNullable<RequestInit['body']>
  answer: z.ZodType<Answer>
  signal: AbortSignal
}

/**
 * Streams a file as a body.
 *
 * @param onSent - is called with the number of bytes sent so far
 * @param ended - closes the file, which `fetch` leaves open if the server answers before it has read everything
 */
export function fileBody(file: string, onSent: (bytes: number) => void, ended: AbortSignal): ReadableStream {
  async function* content() {
    let bytes = 0
    for await (const chunk of createReadStream(file, { signal: ended }) as AsyncIterable<Buffer>) {
      onSent(bytes)
      // Lets `fetch` read a response first. A failure to write to a server that refused the body would lose it.
      await setImmediate()
      yield chunk
      bytes += chunk.length
    }
    onSent(bytes)
  }
  return ReadableStream.from(content())
}

const Refusal = z.object({
  code: z.string().regex(/^[A-Z_]{1,40}$/),
  message: z.string(),
  hint: z.unknown().optional(),
})

/** Longer than an upload may take by default, with the time for unpacking it. */
const timeoutMs = 1_200_000
const maxAttempts = 4
const retryDelayMs = 2_000
/** A server that is busy, for example with hundreds of other uploads, is asked again for this time. */
const maxBusyMs = 300_000
const minBusyDelayMs = 100
const maxBusyDelayMs = 30_000
/** The server asks for longer waits only where a limit of hours is reached. */
const maxRetryAfterMs = 60_000

type Attempt<Answer> = { status: number; answer: Answer } | { failure: CoreFailure; retry: Retry }

/** When to send again: `busy` after a time that the server says. */
type Retry = { kind: 'no' | 'soon' } | { kind: 'busy'; afterMs: number }

const no: Retry = { kind: 'no' }
const soon: Retry = { kind: 'soon' }

/**
 * Sends a file or a form to a route of core, and repeats it after temporary failures. Core must ignore a repeated upload.
 *
 * @throws CallFailed
 */
export async function sendBody<Answer>(sent: SentBody<Answer>): Promise<{ status: number; answer: Answer }> {
  const startedAt = performance.now()
  let failures = 0
  for (let busy = 0; ;) {
    const attempt = await send(sent)
    if ('answer' in attempt) return attempt
    const { failure, retry } = attempt
    const isOver =
      retry.kind === 'busy'
        ? retry.afterMs > maxRetryAfterMs || performance.now() - startedAt > maxBusyMs
        : retry.kind === 'no' || ++failures === maxAttempts
    if (isOver) throw new CallFailed(failure)
    const delayMs = retry.kind === 'busy' ? busyDelayMs(retry.afterMs, busy++) : retryDelayMs
    await sleep(delayMs, undefined, { signal: sent.signal })
  }
}

/** Waits longer each time, and not as long as the other clients that were refused at the same moment. */
function busyDelayMs(afterMs: number, earlier: number): number {
  const grown = Math.min(Math.max(afterMs, minBusyDelayMs) * 2 ** earlier, maxBusyDelayMs)
  return Math.max(afterMs, grown) * (1 + Math.random() / 2)
}

async function send<Answer>(sent: SentBody<Answer>): Promise<Attempt<Answer>> {
  const { credentials, path, headers, body, signal } = sent
  const { baseUrl, token } = credentials
  const deadline = AbortSignal.timeout(timeoutMs)
  const ended = new AbortController()
  const startedAt = performance.now()
  const cut = (): CoreFailure => ({ kind: 'cut', seconds: Math.round((performance.now() - startedAt) / 1_000) })
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      body: body(ended.signal),
      // For bodies that are streams.
      duplex: 'half',
      // A followed redirect would send the body to another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    })
    if (response.status >= 300 && response.status < 400) return { failure: { kind: 'redirects' }, retry: no }
    return read(sent, response, await response.text(), cut())
  } catch (error) {
    signal.throwIfAborted()
    if (deadline.aborted) return { failure: { kind: 'timeout' }, retry: no }
    return { failure: isCut(error) ? cut() : { kind: 'unreachable' }, retry: soon }
  } finally {
    ended.abort()
  }
}

/** Whether the connection was there, and then ended. */
function isCut(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cutCodes.includes(String(cause.code))
}

const cutCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

function read<Answer>(
  { answer }: SentBody<Answer>,
  { status, headers, ok }: Response,
  text: string,
  cut: CoreFailure,
): Attempt<Answer> {
  const retry = [429, 502, 503, 504].includes(status) ? retryOf(headers) : no
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy, or a server of an older version, gives no reason.
    if (status === 408) return { failure: cut, retry: no }
    // A proxy in front of core answers so while core restarts.
    return { failure: { kind: 'not_core' }, retry: retry.kind === 'no' ? soon : retry }
  }
  const accepted = ok ? answer.safeParse(body) : undefined
  if (accepted?.success) return { status, answer: accepted.data }
  const refusal = Refusal.safeParse(body)
  if (ok || !refusal.success) return { failure: { kind: 'not_core' }, retry }
  const { code, message } = refusal.data
  const hint = ErrorHint.safeParse(refusal.data.hint).data
  return {
    failure: {
      kind: 'refused',
      code: code === 'VALIDATION_ERROR' ? 'BAD_REQUEST' : code,
      status,
      message,
      ...(hint ? { hint } : {}),
    },
    retry,
  }
}

function retryOf(headers: Headers): Retry {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? { kind: 'busy', afterMs: seconds * 1_000 } : soon
}
