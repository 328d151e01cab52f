import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** More than any address with its zone, port and the blanks around it. */
const maxLength = 200

/**
 * Returns the address of the client. Each proxy appends the address of its caller to `X-Forwarded-For`, so with n
 * proxies the nth address from the end is the client's; the client may have made up everything before it. If that entry
 * is not an address, returns the address of the connection.
 *
 * @param trustProxy - the number of proxies; 0 ignores the header
 */
export function clientAddress(req: IncomingMessage, trustProxy: number): string | undefined {
  const own = canonicalAddress(req.socket.remoteAddress ?? '')
  if (trustProxy === 0) return own
  const forwarded = [req.headers['x-forwarded-for']].flat().join(',').split(',')
  return canonicalAddress(forwarded.slice(-trustProxy)[0] ?? '') ?? own
}

/**
 * Returns the canonical form of an address, so that another spelling does not avoid a limit: IPv4 in IPv6 becomes IPv4,
 * zones and ports are removed. Returns undefined for other text.
 */
export function canonicalAddress(text: string): string | undefined {
  if (text.length > maxLength) return undefined
  // Node accepts only the canonical spelling of IPv4, in which most addresses come.
  if (isIPv4(text)) return text
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text.trim())?.[1] ?? text.trim().replace(/^([\d.]+):\d{1,5}$/, '$1')
  const withoutZone = bare.replace(/%.*$/s, '')
  // Node's check is strict: it accepts no octal numbers and no short forms of IPv4.
  if (isIP(withoutZone) === 0) return undefined
  return ipaddr.process(withoutZone).toString()
}

/** Returns the block that a network usually assigns to one customer: the IPv4 address itself, or the /64 of IPv6. */
export function addressBlock(canonical: string): string {
  const address = ipaddr.parse(canonical)
  if (!(address instanceof ipaddr.IPv6)) return canonical
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${canonical}/64`).toString()}/64`
}
