import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config.ts'
import type { Logger } from '../base/log.ts'
import { addressBlock, canonicalAddress } from './client-address.ts'

export interface ServerLimits {
  headersMs: number
  requestMs: number
  checkMs: number
  /** How long a connection may rest between two requests. */
  keepAliveMs: number
  connections: number
  /** Of these, how many one address may hold; behind proxies all come from theirs. */
  connectionsOfAddress: number
}

/** What one server takes from slow callers and from many at once. */
export function serverLimits({ trustProxy }: Pick<Config, 'trustProxy'>): ServerLimits {
  return {
    headersMs: 10_000,
    requestMs: 30_000,
    // Adds to both: whoever is slow is gone within 15 s, also where there are thousands.
    checkMs: 2_500,
    // Proxies keep connections for a minute and must be the ones to end them: a request that one sends while we close
    // is lost. Callers who come directly have no such habit and need not be waited for.
    keepAliveMs: trustProxy > 0 ? 65_000 : 5_000,
    // Under the 4,096 files that older systems grant, with room for the database and for children's pipes: without
    // a cap, whoever opens connections takes these away too.
    connections: 3_500,
    connectionsOfAddress: trustProxy > 0 ? 3_500 : 1_000,
  }
}

const warnEveryMs = 60_000

/** An HTTP server that nobody can hold by being slow, or fill up without a word in the log. */
export function createLimitedServer(handle: RequestListener, limits: ServerLimits, log: Logger): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    handle,
  )
  server.maxConnections = limits.connections
  let dropped = 0
  let warnedAt = -Infinity
  const turnAway = () => {
    dropped++
    const now = performance.now()
    if (now - warnedAt < warnEveryMs) return
    log.warn({ connections: limits.connections, dropped }, 'connections are refused because too many are open')
    warnedAt = now
    dropped = 0
  }
  server.on('drop', turnAway)
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
    if (count <= limits.connectionsOfAddress) return
    socket.destroy()
    turnAway()
  })
  return server
}
