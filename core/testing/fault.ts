import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/** A fault of an endpoint that the application calls. */
export type Fault =
  | 'stall'
  | 'drip'
  | 'flood'
  | 'redirect'
  | 'gzip_bomb'
  | 'hang_up'
  | { status: number; body: string; type?: string }

const json = { 'content-type': 'application/json' }

/** 49 KB that decompress to 50 MB. Created on demand, since that takes a while. */
let bomb: Buffer | undefined

/** Responds with the fault, and returns false if there is none. A stall sends nothing. */
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
