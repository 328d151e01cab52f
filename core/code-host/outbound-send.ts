import { request } from 'node:http'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import {
  explainRefusal,
  hostOf,
  isAllowed,
  OutboundRefusedError,
  resolveAllowed,
} from '../../engines/network/addresses.ts'
import { connect } from '../../engines/network/connect.ts'
import { nameServers } from '../../engines/network/name-servers.ts'
import type { Send } from './bounded-fetch.ts'

const connectTimeoutMs = 5_000
const systemNameServers = nameServers()
const never = new AbortController().signal

/**
 * Sends requests to an address that a user chose: only to the public internet and the allowed networks, over a new
 * connection to an address that was checked.
 */
export function outboundSend(allowCidrs: readonly string[]): Send {
  return async (url, { method = 'GET', headers, body, signal }) => {
    const ending = signal ?? never
    const host = hostOf(url)
    const isLiteral = isIP(host) !== 0
    if (isLiteral && !isAllowed(host, allowCidrs)) {
      throw new OutboundRefusedError('address_refused', explainRefusal(host))
    }
    const addresses = isLiteral ? [host] : await resolveAllowed(host, allowCidrs, ending, systemNameServers)
    const isSecure = url.protocol === 'https:'
    const socket = await connect(
      {
        addresses,
        port: Number(url.port) || (isSecure ? 443 : 80),
        tlsName: isSecure ? (isLiteral ? '' : host) : undefined,
        allowCidrs,
      },
      { signal: ending, timeoutMs: connectTimeoutMs, onTry: () => undefined },
    )
    return new Promise<Response>((resolve, reject) => {
      const content = typeof body === 'string' ? Buffer.from(body) : undefined
      const sending = request({
        method,
        path: `${url.pathname}${url.search}`,
        // No agent: proxies are ignored and connections are not reused.
        createConnection: () => socket,
        setHost: false,
        headers: {
          ...Object.fromEntries(new Headers(headers)),
          host: url.host,
          connection: 'close',
          'accept-encoding': 'identity',
          'content-length': content?.length ?? 0,
        },
        signal: ending,
      })
      sending.on('error', reject)
      sending.on('response', (answer) => {
        const { statusCode = 500 } = answer
        const given = Object.entries(answer.headersDistinct).flatMap(([name, values]) =>
          (values ?? []).map((value): [string, string] => [name, value]),
        )
        const isEmpty = [204, 205, 304].includes(statusCode)
        if (isEmpty) answer.resume()
        const stream = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>)
        resolve(new Response(stream, { status: statusCode, headers: given }))
      })
      sending.end(content)
    })
  }
}
