import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { hostOf } from '../../engines/network/addresses.ts'
import { closedEarly } from '../../engines/network/connect.ts'
import { AttemptFailure } from './failure.ts'

export interface AttemptRequest {
  url: string
  body: Buffer | string
  headers: Record<string, string>
}

export interface Answer {
  status: number
  retryAfter: string | undefined
  contentEncoding: string | undefined
  /** The beginning of the body, as far as the limits allow. */
  chunks: Buffer[]
}

/** The rest of a response body is not read. */
const maxBodyBytes = 64 * 1024
/** The status alone decides about success, so that a slow body does not hold a slot for long. */
const bodyTimeoutMs = 2_000
const maxHeaderBytes = 16 * 1024
/** Limits everything received, because interim responses count neither as headers nor as body. */
const maxWireBytes = 256 * 1024

/**
 * Sends the request over the socket and reads the response. Once the status has arrived it resolves, even if the body
 * breaks off. The caller closes the socket.
 */
export function exchange(
  socket: Socket,
  url: URL,
  { body, headers }: Pick<AttemptRequest, 'body' | 'headers'>,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const host = hostOf(url)
  let answer: Answer | undefined
  let bodyTimeout: NodeJS.Timeout | undefined
  const end = (error?: unknown) => {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(bodyTimeout)
    if (answer) resolve(answer)
    else reject(error)
  }
  const onAbort = () => end(signal.reason)
  const onUpgrade = () => end(new AttemptFailure(`${host} asked to switch protocols.`))
  const sending = request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    // No agent: proxies are ignored and connections are not reused.
    createConnection: () => socket,
    setHost: false,
    headers: {
      ...headers,
      host: url.host,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    },
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: false,
  })
  sending.on('response', (response) => {
    if (response.statusCode === 101) return onUpgrade()
    answer = { ...answerOf(response), chunks: [] }
    bodyTimeout = setTimeout(end, bodyTimeoutMs)
    readBody(response, answer.chunks, end)
    for (const ending of ['end', 'error', 'close']) response.on(ending, end)
  })
  sending.on('upgrade', onUpgrade)
  // Added after the parser's own listener, so that the parser reads each chunk first.
  sending.on('socket', () => {
    socket.on('data', () => {
      if (socket.bytesRead > maxWireBytes) end(new AttemptFailure(`${host} sent too much data that is not a response.`))
    })
  })
  sending.on('error', end)
  sending.on('close', () => answer ?? end(closedEarly()))
  signal.addEventListener('abort', onAbort)
  sending.end(body)
  return promise
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): Omit<Answer, 'chunks'> {
  return {
    status: statusCode,
    retryAfter: headers['retry-after'],
    contentEncoding: headers['content-encoding'],
  }
}

function readBody(response: IncomingMessage, chunks: Buffer[], end: () => void): void {
  let read = 0
  response.on('data', (chunk: Buffer) => {
    read += chunk.length
    chunks.push(chunk)
    if (read >= maxBodyBytes) end()
  })
}
