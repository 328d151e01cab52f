import { request as requestPlain, type IncomingMessage } from 'node:http'
import { request as requestSecure } from 'node:https'

export interface HttpCall {
  method?: string | undefined
  headers: Record<string, string>
  body?: string | undefined
  signal: AbortSignal
}

/**
 * Sends a request over a connection that is kept, and returns the response when its headers have arrived. It follows no
 * redirects. Where a client only calls core, it needs 13 MiB less memory than `fetch`.
 *
 * @throws TypeError, as `fetch` does, if there is no response, and the reason of the signal if it aborts
 */
export async function callOverHttp(url: string | URL, call: HttpCall): Promise<IncomingMessage> {
  try {
    return await send(new URL(url), call)
  } catch (error) {
    call.signal.throwIfAborted()
    throw new TypeError('The request failed.', { cause: error })
  }
}

function send(url: URL, { method = 'GET', headers, body, signal }: HttpCall): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sending = request(url, { method, headers: { ...headers, ...length }, signal })
  sending.on('response', resolve)
  sending.on('error', (error: NodeJS.ErrnoException) => {
    // The server closed the kept connection at the moment when it was used again. What only reads may be asked again.
    const isStale = sending.reusedSocket && error.code === 'ECONNRESET' && method === 'GET' && !signal.aborted
    if (isStale) resolve(send(url, { method, headers, body, signal }))
    else reject(error)
  })
  sending.end(body)
  return promise
}
