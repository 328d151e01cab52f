import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { isAllowed, OutboundRefusedError } from '../../engines/network/addresses.ts'

export interface Target {
  /** Vetted already, and all that may be connected to. */
  addresses: readonly string[]
  port: number
  /** The host name to ask for and to find in the certificate; undefined for plain HTTP. */
  tlsName: string | undefined
  allowCidrs: readonly string[]
}

export interface ConnectLimits {
  /** Its reason is why the connection is given up. */
  signal: AbortSignal
  timeoutMs: number
  /** Hears of each address before it is tried. */
  onTry: (address: string) => void
}

/** A name can have hundreds of addresses; they are all vetted, and not all tried. */
const maxTries = 4

let trusted: SecureContext | undefined

/**
 * Connects to the first of the addresses that takes the connection, and shakes hands where there is TLS. One after
 * another, so that a request can never go out twice; one that does not answer gets its share of the time.
 */
export async function connect(target: Target, limits: ConnectLimits): Promise<Socket> {
  const addresses = target.addresses.slice(0, maxTries)
  const endsAt = performance.now() + limits.timeoutMs
  for (const [index, address] of addresses.entries()) {
    limits.onTry(address)
    const left = addresses.length - index
    const shareMs = left === 1 ? undefined : (endsAt - performance.now()) / left
    try {
      return await connectToAddress(address, target, limits.signal, shareMs)
    } catch (error) {
      if (left === 1 || limits.signal.aborted || !isOfThisAddress(error)) throw error
    }
  }
  throw new OutboundRefusedError('host_not_found', 'The host name has no address.')
}

/** Where TCP fails the next address may work; what TLS finds wrong is the host's. */
function isOfThisAddress(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect'
}

async function connectToAddress(
  address: string,
  { port, tlsName, allowCidrs }: Target,
  signal: AbortSignal,
  shareMs: number | undefined,
): Promise<Socket> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const options = { host: address, port, autoSelectFamily: false, noDelay: true }
  const socket =
    tlsName === undefined
      ? connectTcp(options)
      : connectTls({
          ...options,
          servername: tlsName,
          ALPNProtocols: ['http/1.1'],
          rejectUnauthorized: true,
          secureContext: (trusted ??= createSecureContext()),
        })
  const giveUp = () => socket.destroy(signal.reason)
  const share = shareMs === undefined ? undefined : setTimeout(() => socket.destroy(unreachable(address)), shareMs)
  signal.addEventListener('abort', giveUp)
  // Stays for good: a socket may fail at any moment until somebody else listens.
  socket.on('error', reject)
  const onClose = () => reject(closedEarly())
  socket.once('close', onClose)
  socket.once('connect', () => {
    clearTimeout(share)
    const { remoteAddress } = socket
    if (remoteAddress !== address && !(remoteAddress && isAllowed(remoteAddress, allowCidrs))) {
      socket.destroy(new OutboundRefusedError('address_refused', `The connection to ${address} ended somewhere else.`))
    } else if (tlsName === undefined) resolve(socket)
  })
  socket.once('secureConnect', () => resolve(socket))
  try {
    return await promise
  } finally {
    clearTimeout(share)
    socket.off('close', onClose)
    signal.removeEventListener('abort', giveUp)
  }
}

const unreachable = (address: string) =>
  Object.assign(new Error(`${address} does not answer.`), { code: 'ETIMEDOUT', syscall: 'connect' })

export const closedEarly = () => Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })
