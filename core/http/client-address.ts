import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Where a request comes from. Each proxy adds the address that it was called from at the end of `X-Forwarded-For`, so
 * with n of them the nth from the end is the caller's; everything before it, the caller wrote. What is no address
 * counts as the proxy's.
 *
 * @param trustProxy - how many proxies there are; with 0 the header is not looked at
 */
export function clientAddress(req: IncomingMessage, trustProxy: number): string | undefined {
  const own = canonicalAddress(req.socket.remoteAddress ?? '')
  if (trustProxy === 0) return own
  const forwarded = [req.headers['x-forwarded-for']].flat().join(',').split(',')
  return canonicalAddress(forwarded.slice(-trustProxy)[0] ?? '') ?? own
}

/**
 * One spelling for each address, so that nobody escapes a limit by another one: IPv4 in IPv6 becomes IPv4, zones and
 * ports go. Undefined for what is no address.
 */
export function canonicalAddress(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text.trim())?.[1] ?? text.trim().replace(/^([\d.]+):\d{1,5}$/, '$1')
  const withoutZone = bare.replace(/%.*$/, '')
  // Node's rule is the strict one: no octal, no short forms, in IPv6 neither.
  if (isIP(withoutZone) === 0) return undefined
  return ipaddr.process(withoutZone).toString()
}

/** The unit that one customer of a network has: the address itself for IPv4, its /64 for IPv6. */
export function addressBlock(canonical: string): string {
  const address = ipaddr.parse(canonical)
  if (!(address instanceof ipaddr.IPv6)) return canonical
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${canonical}/64`).toString()}/64`
}
