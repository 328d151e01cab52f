import { OutboundRefusedError } from '../../engines/network/addresses.ts'
import { readLimited } from '../../engines/network/read-limited.ts'

export interface CallLimits {
  /** From the start of a call to the last byte of the response. */
  deadlineMs: number
  /** The maximum size of a response after decompression. */
  maxBytes: number
}

/** Says why there is no usable response. The message contains no text from the response. */
export class NoUsableAnswer extends Error {
  override name = 'NoUsableAnswer'
}

/** Sends one request without following redirects. */
export type Send = (url: URL, init: RequestInit) => Promise<Response>

export interface FetchOptions {
  /** The only origin that requests are sent to, because they carry the token. */
  origin: string
  headers: Record<string, string>
  limits: CallLimits
  /** Aborts all calls, in addition to the deadline of each. */
  signal?: AbortSignal
  /** By default `fetch`. */
  send?: Send
}

const maxRedirects = 3
const withoutBody = new Set([204, 205, 304])

/**
 * Creates a `fetch` for one host with a deadline and a size limit. It adds the token itself, so that clients cannot
 * include it in their errors. It follows redirects, such as those of renamed repositories, only on the same host.
 *
 * @throws NoUsableAnswer
 */
export function boundedFetch({ origin, headers, limits, signal, send = fetch }: FetchOptions) {
  return async (address: string, init: RequestInit = {}): Promise<Response> => {
    const deadline = AbortSignal.timeout(limits.deadlineMs)
    const all = { ...Object.fromEntries(new Headers(init.headers)), ...headers }
    let url = new URL(address)
    try {
      for (let hops = 0; ; hops++) {
        if (url.origin !== origin) throw new NoUsableAnswer('it points to another host, which is not followed')
        const response = await send(url, {
          ...init,
          headers: all,
          redirect: 'manual',
          signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        })
        const target = redirectOf(response, url, init.method ?? 'GET')
        if (!target) return await whole(response, limits.maxBytes)
        if (hops === maxRedirects) throw new NoUsableAnswer('it redirects too often')
        await response.body?.cancel()
        url = target
      }
    } catch (error) {
      if (error instanceof NoUsableAnswer) throw error
      if (error instanceof OutboundRefusedError) throw new NoUsableAnswer(error.message)
      if (signal?.aborted) throw new NoUsableAnswer('there was no more time to wait for it')
      throw new NoUsableAnswer(
        deadline.aborted ? `it took longer than ${limits.deadlineMs / 1_000} s` : 'the connection failed',
      )
    }
  }
}

/** Follows only redirects that repeat the same call: 301 and 302 may turn a POST into a GET. */
function redirectOf(response: Response, from: URL, method: string): URL | undefined {
  const location = response.headers.get('location')
  if (response.status < 300 || response.status >= 400 || response.status === 304) return undefined
  const repeats = [307, 308].includes(response.status) || (method === 'GET' && [301, 302].includes(response.status))
  const target = location === null ? null : URL.parse(location, from.href)
  if (!repeats || !target) throw new NoUsableAnswer(`it is a redirect (${response.status}) that cannot be followed`)
  return target
}

async function whole(response: Response, maxBytes: number): Promise<Response> {
  const { status, headers } = response
  const text = await readLimited(response, maxBytes)
  if (text === undefined) throw new NoUsableAnswer(`it is larger than ${maxBytes} bytes`)
  // Clients that expect an object would quote other content in their errors.
  if (response.ok && text !== '' && !isJsonObject(text)) throw new NoUsableAnswer('it is not JSON of an API')
  return new Response(withoutBody.has(status) ? null : text, { status, headers })
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
