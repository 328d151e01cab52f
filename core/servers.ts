import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from './base/log.ts'
import type { Config } from './config.ts'
import { createLimitedServer, serverLimits } from './http/server.ts'

const drainMs = 10_000

/** Connections of a burst wait in this queue for an answer such as 503. With Node's default of 511, some get a reset. */
const backlog = 3_500

export interface Servers {
  server: Server
  /** Binds the address of the configuration; port 0 chooses a free port. */
  listen(): Promise<AddressInfo>
}

/** Creates the HTTP server, and a second one for the IPv6 loopback address in local mode. */
export function createServers(
  handle: RequestListener,
  { config, log }: { config: Config; log: Logger },
  opened: AsyncDisposableStack,
): Servers {
  const create = () => {
    const server = createLimitedServer(handle, serverLimits(config), log)
    opened.defer(() => closeServer(server))
    return server
  }
  const server = create()
  const ipv6Server = create()
  return {
    server,
    listen: async () => {
      const address = await listen(server, config)
      if (isOnLoopback(config)) await listenOnIpv6Loopback(ipv6Server, config)
      return address
    },
  }
}

/** Users and programs call this port as `localhost`, which may resolve to ::1. */
const isOnLoopback = ({ local, host, port }: Config) => local && host === '127.0.0.1' && port !== 0

/**
 * Listens on [::1] too. Browsers and Node resolve localhost to it first, so another user of the machine who listens
 * there would receive the owner's links and tokens. Does nothing on a machine without IPv6.
 */
async function listenOnIpv6Loopback(server: Server, config: Config): Promise<void> {
  try {
    await listen(server, { port: config.port, host: '::1' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT' && code !== 'EINVAL') throw error
  }
}

function listen(server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** Waits for running requests, and closes the remaining connections after ten seconds. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const forceClose = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearTimeout(forceClose)
}
