import { lookup } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Why an outbound connection is not made. */
export class OutboundRefusedError extends Error {
  override name = 'OutboundRefusedError'
  readonly code: 'invalid_host' | 'host_not_found' | 'address_refused'
  constructor(code: OutboundRefusedError['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Reads a comma-separated list of networks and names every entry that is not one. A bare address counts as a network of one. */
export function parseCidrs(text: string): string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const wrong = entries.filter((entry) => networkOf(entry) === undefined)
  if (wrong.length > 0) {
    throw new Error(
      `must be networks in CIDR notation such as 10.0.0.0/8 or fd00::/8, separated by commas; ` +
        `not understood: ${wrong.map((entry) => JSON.stringify(entry)).join(', ')}`,
    )
  }
  return entries
}

/** Whether one of the networks contains the address; an IPv4-mapped IPv6 address counts as the IPv4 address it holds. */
export function isListed(address: string, allowCidrs: readonly string[]): boolean {
  const parsed = parseAddress(address)
  if (!parsed) return false
  const forms: Address[] = [parsed]
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) forms.push(parsed.toIPv4Address())
  return allowCidrs.some((cidr) => {
    const network = networkOf(cidr)
    return network !== undefined && forms.some((form) => contains(network, form))
  })
}

/**
 * Whether outbound traffic may go to the address: it is unicast and reachable from everywhere in the internet, or one
 * of the networks names it. Addresses that carry another address inside (NAT64, 6to4, Teredo, IPv4-mapped) are refused
 * whatever they carry, because the gateway of another network decides where they end.
 */
export function isAllowed(address: string, allowCidrs: readonly string[]): boolean {
  return isGlobal(address) || isListed(address, allowCidrs)
}

/** All addresses of a host name that is in its canonical form; rejects when there are none. */
export type ResolveName = (host: string, allowCidrs: readonly string[]) => Promise<string[]>

/** As other programs on this machine resolve it: hosts file, search domains and name servers. */
const asTheSystemDoes: ResolveName = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

/**
 * Resolves a host name and vets every address it has; one that is refused refuses the host. Connect to the returned
 * addresses only: asking the name server again may give other ones. Takes any notation that URLs allow.
 */
export async function resolveAllowed(
  hostname: string,
  allowCidrs: readonly string[],
  signal: AbortSignal,
  resolve = asTheSystemDoes,
): Promise<string[]> {
  const host = canonicalHost(hostname)
  const addresses = isIP(host) ? [host] : await addressesOf(host, signal, () => resolve(host, allowCidrs))
  if (!addresses.every((address) => isAllowed(address, allowCidrs))) {
    throw new OutboundRefusedError('address_refused', explainRefusal(host))
  }
  return addresses
}

/** The same for every host, so that the message does not reveal which addresses a private network has. */
export const explainRefusal = (host: string): string =>
  `${host} is not an address of the public internet. Other addresses are refused unless the setting ` +
  'OUTBOUND_ALLOW_CIDRS of this server lists their networks, such as 127.0.0.0/8,::1/128 for the server itself.'

/** Looks public, and is the machine's own provider of settings and secrets on Azure. */
const azurePlatform = '168.63.129.16'

function isGlobal(text: string): boolean {
  const address = parseAddress(text)
  if (!address || address.range() !== 'unicast' || text === azurePlatform) return false
  // IANA has given out 2000::/3 only; the library calls everything unicast that has no other name.
  return address instanceof ipaddr.IPv4 || contains([ipaddr.IPv6.parse('2000::'), 3], address)
}

function contains([network, prefix]: [Address, number], address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, prefix)
}

/** Undefined for all that is not a complete address: octal or shortened IPv4, IPv6 with a zone. */
function parseAddress(text: string): Address | undefined {
  if (text.includes('%') || !isIP(text)) return undefined
  if (!isIPv6(text)) return ipaddr.IPv4.parse(text)
  // The library reads ::127.0.0.1 as ::ffff:127.0.0.1, which is another address. In hexadecimal it cannot.
  const hexadecimal = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1)
  return hexadecimal === undefined ? undefined : ipaddr.IPv6.parse(hexadecimal)
}

function networkOf(text: string): [Address, number] | undefined {
  const [, address, prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const parsed = address === undefined ? undefined : parseAddress(address)
  if (!parsed) return undefined
  const maxPrefix = parsed.kind() === 'ipv4' ? 32 : 128
  const length = prefix === undefined ? maxPrefix : Number(prefix)
  return length <= maxPrefix ? [parsed, length] : undefined
}

/** The host of a parsed URL as resolvers and sockets take it: no brackets, no trailing dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** Lets the URL parser fold what it folds for HTTP clients: 0x7f.1, 2130706433, full-width digits, upper case. */
function canonicalHost(hostname: string): string {
  const authority = isIPv6(hostname) ? `[${hostname}]` : hostname
  const suspicious = /[\s/\\?#@%]/.test(authority) || (authority.includes(':') && !/^\[.*\]$/.test(authority))
  const url = suspicious ? null : URL.parse(`http://${authority}/`)
  const host = url ? hostOf(url) : ''
  if (host === '') throw new OutboundRefusedError('invalid_host', `${JSON.stringify(hostname)} is not a host name.`)
  return host
}

async function addressesOf(host: string, signal: AbortSignal, resolve: () => Promise<string[]>): Promise<string[]> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([resolve(), aborted.promise])
  } catch (error) {
    if (signal.aborted) throw error
    throw new OutboundRefusedError('host_not_found', `The host name ${host} could not be resolved.`, error)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
