import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { hostOf } from '../../engines/network/addresses.ts'
import { closedEarly } from './connect.ts'
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
  /** Of the body, as much of it as there was time and room for. */
  chunks: Buffer[]
}

/** Of an answer's body. What comes after is not read. */
const maxBodyBytes = 64 * 1024
/** For the rest of an answer whose status is known, which decides alone. */
const bodyPatienceMs = 2_000
const maxHeaderBytes = 16 * 1024
/** Of all that comes, for what is neither headers nor body, such as interim answers without end. */
const maxWireBytes = 256 * 1024

/**
 * Sends the request over a connection of its own and reads the answer. Once there is a status, that is the answer,
 * whatever becomes of its body. The caller ends the connection.
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
  let patience: NodeJS.Timeout | undefined
  const end = (error?: unknown) => {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(patience)
    if (answer) resolve(answer)
    else reject(error)
  }
  const onAbort = () => end(signal.reason)
  const onUpgrade = () => end(new AttemptFailure(`${host} wants to speak another protocol.`))
  const sending = request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    // Without an agent there is neither a proxy nor a connection that is kept.
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
    patience = setTimeout(end, bodyPatienceMs)
    readBody(response, answer.chunks, end)
    for (const ending of ['end', 'error', 'close']) response.on(ending, end)
  })
  sending.on('upgrade', onUpgrade)
  // From then on, the parser has each chunk first.
  sending.on('socket', () => {
    socket.on('data', () => {
      if (socket.bytesRead > maxWireBytes) end(new AttemptFailure(`${host} sent too much that is no answer.`))
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
