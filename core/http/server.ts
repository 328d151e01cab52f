import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config.ts'
import type { Logger } from '../base/log.ts'
import { limitBodyTime } from './body-time.ts'
import { addressBlock, canonicalAddress } from './client-address.ts'

export interface ServerLimits {
  headersMs: number
  /** The time for a body, except for one that `readUpload` reads. */
  requestMs: number
  checkMs: number
  /** The time that a connection may be idle between two requests. */
  keepAliveMs: number
  maxConnections: number
  /** Behind proxies, all connections come from the proxies' addresses. */
  maxConnectionsPerAddress: number
}

export function serverLimits({ trustProxy, bodyTimes }: Pick<Config, 'trustProxy' | 'bodyTimes'>): ServerLimits {
  return {
    headersMs: 10_000,
    requestMs: bodyTimes.requestMs,
    // Adds to `headersMs`: a client that sends its headers slowly is disconnected within 12.5 s.
    checkMs: 2_500,
    // Proxies keep connections for a minute and must close them first: a request that a proxy sends while the server
    // closes the connection is lost.
    keepAliveMs: trustProxy > 0 ? 65_000 : 5_000,
    // Below the limit of 4,096 open files on older systems, with room for the database and for pipes of child
    // processes, which a flood of connections would use up otherwise.
    maxConnections: 3_500,
    maxConnectionsPerAddress: trustProxy > 0 ? 3_500 : 1_000,
  }
}

const warnEveryMs = 60_000

/** Creates an HTTP server that disconnects slow clients, and limits connections with a warning in the log. */
export function createLimitedServer(handle: RequestListener, limits: ServerLimits, log: Logger): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      // It would be the same for all bodies.
      requestTimeout: 0,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    (req, res) => {
      limitBodyTime(req, res, limits)
      handle(req, res)
    },
  )
  server.maxConnections = limits.maxConnections
  let dropped = 0
  let warnedAt = -Infinity
  const recordRefusal = (reason: 'of one address' | 'in total', max: number) => {
    dropped++
    const now = performance.now()
    if (now - warnedAt < warnEveryMs) return
    log.warn({ max, dropped }, `connections are refused because too many ${reason} are open`)
    warnedAt = now
    dropped = 0
  }
  server.on('drop', () => recordRefusal('in total', limits.maxConnections))
  const held = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = addressBlock(canonicalAddress(socket.remoteAddress ?? '') ?? '::')
    const count = (held.get(address) ?? 0) + 1
    held.set(address, count)
    socket.once('close', () => {
      const left = (held.get(address) ?? 1) - 1
      if (left > 0) held.set(address, left)
      else held.delete(address)
    })
    if (count <= limits.maxConnectionsPerAddress) return
    socket.destroy()
    recordRefusal('of one address', limits.maxConnectionsPerAddress)
  })
  return server
}
