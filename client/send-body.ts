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
  /** Makes the body anew for each attempt. */
  body: () => NonNullable<RequestInit['body']>
  answer: z.ZodType<Answer>
  signal: AbortSignal
}

/**
 * Streams a file as a body.
 *
 * @param onSent - is called with the number of bytes sent so far
 */
export function fileBody(file: string, onSent: (bytes: number) => void): ReadableStream {
  async function* content() {
    let bytes = 0
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
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
/** The server asks for longer waits only where a limit of hours is reached. */
const maxRetryDelayMs = 60_000

type Attempt<Answer> = { status: number; answer: Answer } | { failure: CoreFailure; retryMs: number | null }

/**
 * Sends a file or a form to a route of core, and repeats it after temporary failures. Core must ignore a repeated upload.
 *
 * @throws CallFailed
 */
export async function sendBody<Answer>(sent: SentBody<Answer>): Promise<{ status: number; answer: Answer }> {
  for (let left = maxAttempts - 1; ; left--) {
    const attempt = await send(sent)
    if ('answer' in attempt) return attempt
    const { failure, retryMs } = attempt
    if (left === 0 || retryMs === null || retryMs > maxRetryDelayMs) throw new CallFailed(failure)
    await sleep(retryMs, undefined, { signal: sent.signal })
  }
}

async function send<Answer>(sent: SentBody<Answer>): Promise<Attempt<Answer>> {
  const { credentials, path, headers, body, signal } = sent
  const { baseUrl, token } = credentials
  const deadline = AbortSignal.timeout(timeoutMs)
  const startedAt = performance.now()
  const cut = (): CoreFailure => ({ kind: 'cut', seconds: Math.round((performance.now() - startedAt) / 1_000) })
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      body: body(),
      // For bodies that are streams.
      duplex: 'half',
      // A followed redirect would send the body to another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    })
    if (response.status >= 300 && response.status < 400) return { failure: { kind: 'redirects' }, retryMs: null }
    return read(sent, response, await response.text(), cut())
  } catch (error) {
    signal.throwIfAborted()
    if (deadline.aborted) return { failure: { kind: 'timeout' }, retryMs: null }
    return { failure: isCut(error) ? cut() : { kind: 'unreachable' }, retryMs: retryDelayMs }
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
  const isTemporary = [429, 502, 503, 504].includes(status)
  const retryMs = isTemporary ? retryAfterMs(headers) : null
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy, or a server of an older version, gives no reason.
    if (status === 408) return { failure: cut, retryMs: null }
    // A proxy in front of core answers so while core restarts.
    return { failure: { kind: 'not_core' }, retryMs: retryMs ?? retryDelayMs }
  }
  const accepted = ok ? answer.safeParse(body) : undefined
  if (accepted?.success) return { status, answer: accepted.data }
  const refusal = Refusal.safeParse(body)
  if (ok || !refusal.success) return { failure: { kind: 'not_core' }, retryMs }
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
    retryMs,
  }
}

function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.max(retryDelayMs, seconds * 1_000) : retryDelayMs
}
