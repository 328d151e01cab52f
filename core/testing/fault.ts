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

const json = { 'content-type': 'application/json' }

/** 49 KB that unpack to 50 MB; made when it is needed, since that takes a while. */
let bomb: Buffer | undefined

/** Lets an endpoint go wrong; false when nothing is to. A stall needs nothing but silence. */
export function fail(fault: Fault | undefined, res: ServerResponse): boolean {
  if (fault === undefined) return false
  res.on('error', () => res.destroy())
  if (typeof fault === 'object') {
    res.writeHead(fault.status, { 'content-type': fault.type ?? 'application/json' }).end(fault.body)
  } else if (fault === 'hang_up') {
    res.destroy()
  } else if (fault === 'redirect') {
    res.writeHead(302, { ...json, location: '/followed' }).end('{"access_token":"redirected"}')
  } else if (fault === 'gzip_bomb') {
    bomb ??= gzipSync(Buffer.alloc(50_000_000, ' '))
    res.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb)
  } else if (fault !== 'stall') {
    const { text, everyMs } = fault === 'flood' ? { text: ' '.repeat(65_536), everyMs: 1 } : { text: ' ', everyMs: 50 }
    res.writeHead(200, json)
    const timer = setInterval(() => res.write(text), everyMs)
    res.on('close', () => clearInterval(timer))
  }
  return true
}
