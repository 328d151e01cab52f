import { isIP } from 'node:net'
import { AppError } from '../base/errors.ts'
import { hostOf, type ResolveName, resolveAllowed } from '../../engines/network/addresses.ts'
import { nameServers } from '../../engines/network/name-servers.ts'
import { headOf, retryAfterMs } from './answer.ts'
import { connect } from '../../engines/network/connect.ts'
import { type Answer, type AttemptRequest, exchange } from './exchange.ts'
import { AttemptFailure, explainFailure } from './failure.ts'
import { acceptWebhookUrl } from './url.ts'

export interface AttemptOptions {
  allowCidrs: readonly string[]
  requireHttps: boolean
  /** For name resolution, TCP and TLS together. */
  connectTimeoutMs: number
  /** Includes the response body. */
  timeoutMs: number
  /** Only for tests. */
  resolver?: ResolveName
}

export interface AttemptOutcome {
  responseStatus: number | null
  /** The first 16 KiB of the response body; null without a response. */
  responseHead: string | null
  /** One sentence for people; null if there was a response, whatever its status. */
  error: string | null
  /** The address that was connected to, or the last one that was tried. */
  address: string | null
  /** The `Retry-After` header; not limited here. */
  retryAfterMs: number | null
  startedAt: Date
  durationMs: number
}

const systemNameServers = nameServers()

/**
 * Posts the body once, over a new connection, without following redirects. It resolves to an outcome whatever the
 * receiver does, and rejects only when the signal aborts; the receiver may already have the delivery then.
 */
export async function attemptDelivery(
  request: AttemptRequest,
  options: AttemptOptions,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  signal.throwIfAborted()
  const startedAt = new Date()
  const begin = performance.now()
  const unanswered = { responseStatus: null, responseHead: null, retryAfterMs: null }
  let address: string | null = null
  const finish = (rest: Omit<AttemptOutcome, 'address' | 'startedAt' | 'durationMs'>): AttemptOutcome => {
    return { ...rest, address, startedAt, durationMs: Math.round(performance.now() - begin) }
  }
  let url
  try {
    url = acceptWebhookUrl(request.url, options)
  } catch (error) {
    if (error instanceof AppError) return finish({ ...unanswered, error: error.message })
    throw error
  }
  try {
    const answer = await post(url, request, options, signal, (tried) => {
      address = tried
    })
    return finish({
      responseStatus: answer.status,
      responseHead: headOf(answer.chunks, answer.contentEncoding),
      retryAfterMs: retryAfterMs(answer.retryAfter, Date.now()),
      error: null,
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return finish({ ...unanswered, error: explainFailure(error, hostOf(url)) })
  }
}

/** Connecting has a separate timeout within the timeout of the attempt. */
async function post(
  url: URL,
  request: AttemptRequest,
  { allowCidrs, connectTimeoutMs, timeoutMs, resolver = systemNameServers }: AttemptOptions,
  signal: AbortSignal,
  onTry: (address: string) => void,
): Promise<Answer> {
  const host = hostOf(url)
  const ending = new AbortController()
  const stop = () => ending.abort(signal.reason)
  const endAfter = (ms: number, what: string) =>
    setTimeout(() => ending.abort(new AttemptFailure(`${what} within ${ms / 1_000} s.`)), ms)
  const connectTimer = endAfter(connectTimeoutMs, `No connection to ${host}`)
  const timer = endAfter(timeoutMs, `${host} did not answer`)
  signal.addEventListener('abort', stop)
  let socket
  try {
    const literal = isIP(host) !== 0
    // A literal address was checked with the URL.
    const addresses = literal ? [host] : await resolveAllowed(host, allowCidrs, ending.signal, resolver)
    const secure = url.protocol === 'https:'
    const port = Number(url.port) || (secure ? 443 : 80)
    const tlsName = secure ? (literal ? '' : host) : undefined
    const limits = { signal: ending.signal, timeoutMs: connectTimeoutMs, onTry }
    socket = await connect({ addresses, port, tlsName, allowCidrs }, limits)
    clearTimeout(connectTimer)
    return await exchange(socket, url, request, ending.signal)
  } finally {
    clearTimeout(connectTimer)
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    // If the receiver answered before it read the whole body, the rest would wait forever.
    socket?.destroy()
  }
}
