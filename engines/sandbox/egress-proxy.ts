import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import { isListed, OutboundRefusedError, resolveAllowed } from '../network/addresses.ts'
import { rememberAddresses, type Resolve } from './remember-addresses.ts'

export interface EgressProxyOptions {
  /** Of the unix socket to listen on. */
  path: string
  /** Networks that clients may reach besides the public internet. The loopback of this machine is never reachable. */
  allowCidrs: readonly string[]
  /** For tests alone, whose servers are on the loopback. */
  loopback?: boolean
  /** Called for each connection that the proxy refuses or cannot make, with the reason. */
  onRefusal?: (reason: string) => void
}

const maxConnections = 256
const idleMs = 120_000
const connectMs = 15_000

/** All addresses of this machine in any notation; connections to 0.0.0.0 and :: reach loopback. */
const ownMachine = ['127.0.0.0/8', '::1/128', '0.0.0.0/8', '::/128']

/**
 * The only way out of a sandbox: an HTTP proxy that connects to addresses which it resolved and checked itself, so that
 * a name cannot lead to this machine or to private networks.
 */
export async function startEgressProxy(options: EgressProxyOptions): Promise<AsyncDisposable> {
  const open = new Set<Duplex>()
  const track = <T extends Duplex>(socket: T): T => {
    open.add(socket)
    return socket.once('close', () => open.delete(socket))
  }
  const resolve = rememberAddresses((host) => checkedAddresses(host, options))
  const refusal = (error: unknown) => {
    const found = refusalOf(error)
    options.onRefusal?.(found.message)
    return found
  }
  const server = createServer((incoming, answer) => void forward(incoming, answer, { resolve, refusal }))
  server.maxConnections = maxConnections
  server.headersTimeout = 10_000
  server.on('connection', (socket) => {
    track(socket)
    socket.setTimeout(idleMs, () => socket.destroy())
  })
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    void tunnel(incoming.url ?? '', client, head, { resolve, refusal, track })
  })
  await new Promise<void>((listening, reject) => {
    server.once('error', reject)
    // For the sandbox's user. Other users cannot enter the folder.
    server.listen({ path: options.path, writableAll: true }, listening)
  })
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((done) => server.close(done))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

interface Refusal {
  status: number
  message: string
}

interface Proxying {
  resolve: Resolve
  /** Returns what to answer where an error prevents a connection. */
  refusal: (error: unknown) => Refusal
}

async function tunnel(
  authority: string,
  client: Duplex,
  head: Buffer,
  { resolve, refusal, track }: Proxying & { track: (socket: Socket) => Socket },
): Promise<void> {
  const target = URL.parse(`http://${authority}`)
  try {
    if (!target) throw new OutboundRefusedError('invalid_host', `${authority} is not a host and port.`)
    const upstream = track(await connectTo(target.hostname, Number(target.port || 80), resolve))
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    client.pipe(upstream).pipe(client)
    upstream.on('error', () => client.destroy())
    upstream.once('close', () => client.destroy())
    client.once('close', () => upstream.destroy())
    if (client.destroyed) upstream.destroy()
  } catch (error) {
    const { status, message } = refusal(error)
    // Most programs show only the first line of an answer, and Go only the end of that line.
    const reason = message.replace(/[^ -~]+/g, ' ').slice(0, 300)
    client.end(`HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${message}\n`)
  }
}

async function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { resolve, refusal }: Proxying,
): Promise<void> {
  const target = URL.parse(incoming.url ?? '')
  const leave = (error: unknown) => refuse(answer, refusal(error))
  answer.on('error', leave)
  try {
    if (target?.protocol !== 'http:') {
      throw new OutboundRefusedError(
        'invalid_host',
        'This is a proxy: ask for an absolute http:// address, or CONNECT.',
      )
    }
    const upstream = await connectTo(target.hostname, Number(target.port || 80), resolve)
    answer.once('close', () => upstream.destroy())
    if (answer.closed) upstream.destroy()
    const outgoing = request({
      method: incoming.method ?? 'GET',
      path: target.pathname + target.search,
      headers: { ...passedOn(incoming.headers), host: target.host, connection: 'close' },
      createConnection: () => upstream,
    })
    outgoing.on('error', leave)
    outgoing.once('response', (received) => {
      try {
        const status = received.statusCode ?? 0
        if (status < 200) throw new Error(`it answered with status ${status}`)
        answer.writeHead(status, passedOn(received.headers))
        pipeline(received, answer, () => undefined)
      } catch (error) {
        leave(error)
      }
    })
    // The request may end without an answer and without an error: with an unrequested upgrade.
    outgoing.once('close', () => {
      if (!answer.headersSent) leave(new Error('the connection ended without an answer'))
    })
    incoming.on('error', () => outgoing.destroy())
    incoming.pipe(outgoing)
  } catch (error) {
    leave(error)
  }
}

/** Removes the headers of a single connection, and the trailer, which is not passed on. */
function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const own = /^(proxy-.*|connection|keep-alive|host|te|trailer|upgrade)$/
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name)))
}

/** Never throws, because the caller could not handle the error. */
function refuse(answer: ServerResponse, { status, message }: Refusal): void {
  try {
    if (answer.headersSent) answer.destroy()
    else answer.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${message}\n`)
  } catch {
    answer.destroy()
  }
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof OutboundRefusedError)) {
    return { status: 502, message: `Could not connect: ${error instanceof Error ? error.message : String(error)}` }
  }
  return { status: error.code === 'host_not_found' ? 502 : 403, message: error.message }
}

async function checkedAddresses(hostname: string, options: EgressProxyOptions): Promise<string[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const allowed = options.loopback ? [...options.allowCidrs, ...ownMachine] : options.allowCidrs
  const addresses = await resolveAllowed(host, allowed, AbortSignal.timeout(connectMs))
  if (!options.loopback && addresses.some((address) => isListed(address, ownMachine))) {
    throw new OutboundRefusedError('address_refused', `${host} is the machine that runs the sandbox.`)
  }
  return addresses
}

/** To the first of the checked addresses that answers. */
async function connectTo(hostname: string, port: number, resolve: Resolve): Promise<Socket> {
  const addresses = await resolve(hostname)
  let failure: unknown
  for (const address of addresses) {
    try {
      return await connectToAddress(address, port)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function connectToAddress(address: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ host: address, port, family: isIP(address) })
  const deadline = setTimeout(() => socket.destroy(new Error(`no connection within ${connectMs} ms`)), connectMs)
  socket.once('connect', () => {
    clearTimeout(deadline)
    socket.setTimeout(idleMs, () => socket.destroy())
    resolve(socket)
  })
  socket.on('error', reject)
  socket.once('close', () => clearTimeout(deadline))
  return promise
}
