import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/** What goes wrong at one of the endpoints that the application calls. */
export type Fault =
  | 'stall'
  | 'drip'
  | 'flood'
  | 'redirect'
  | 'gzip_bomb'
  | 'hang_up'
  | { status: number; body: string; type?: string }

/** 49 KB that unpack to 50 MB. */
const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))

/** False when nothing is to go wrong. */
export function fail(fault: Fault | undefined, res: ServerResponse): boolean {
  if (fault === undefined) return false
  res.on('error', () => res.destroy())
  if (typeof fault === 'object') {
    res.writeHead(fault.status, { 'content-type': fault.type ?? 'application/json' }).end(fault.body)
  } else if (fault === 'hang_up') res.destroy()
  else if (fault === 'redirect')
    res
      .writeHead(302, { location: '/followed', 'content-type': 'application/json' })
      .end('{"access_token":"redirected"}')
  else if (fault === 'gzip_bomb') {
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    res.end(bomb)
  } else if (fault === 'flood' || fault === 'drip') {
    res.writeHead(200, { 'content-type': 'application/json' })
    const rest = fault === 'flood' ? { text: ' '.repeat(65_536), everyMs: 1 } : { text: ' ', everyMs: 50 }
    const timer = setInterval(() => res.write(rest.text), rest.everyMs)
    res.on('close', () => clearInterval(timer))
  }
  return true
}
