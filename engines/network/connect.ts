import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { isAllowed, OutboundRefusedError } from './addresses.ts'

export interface Target {
  /** The caller has checked that they are allowed. */
  addresses: readonly string[]
  port: number
  /** The host name for SNI and for the certificate check; undefined for plain HTTP. */
  tlsName: string | undefined
  allowCidrs: readonly string[]
}

export interface ConnectLimits {
  /** Its reason becomes the error. */
  signal: AbortSignal
  timeoutMs: number
  /** Called with each address before it is tried. */
  onTry: (address: string) => void
}

/** A host name can have hundreds of addresses. */
const maxTries = 4

let trusted: SecureContext | undefined

/**
 * Connects to the first address that accepts the connection, including the TLS handshake. It tries one address after
 * the other, so that a request is never sent twice, and divides the remaining time among the addresses.
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

/** After a TCP error the next address may work. A TLS error concerns the host, so every address would fail. */
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
  const abort = () => socket.destroy(signal.reason)
  const share = shareMs === undefined ? undefined : setTimeout(() => socket.destroy(unreachable(address)), shareMs)
  signal.addEventListener('abort', abort)
  // This listener stays: an error that has no listener would end the process.
  socket.on('error', reject)
  const onClose = () => reject(closedEarly())
  socket.once('close', onClose)
  socket.once('connect', () => {
    clearTimeout(share)
    const { remoteAddress } = socket
    if (remoteAddress !== address && !(remoteAddress && isAllowed(remoteAddress, allowCidrs))) {
      socket.destroy(
        new OutboundRefusedError('address_refused', `The connection to ${address} reached a different address.`),
      )
    } else if (tlsName === undefined) resolve(socket)
  })
  socket.once('secureConnect', () => resolve(socket))
  try {
    return await promise
  } finally {
    clearTimeout(share)
    socket.off('close', onClose)
    signal.removeEventListener('abort', abort)
  }
}

const unreachable = (address: string) =>
  Object.assign(new Error(`${address} does not answer.`), { code: 'ETIMEDOUT', syscall: 'connect' })

export const closedEarly = () => Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })
