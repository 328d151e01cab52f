import ipaddr from 'ipaddr.js'

/**
 * One spelling for each address, so that nobody escapes a limit by another one: IPv4 in IPv6 becomes IPv4, zones and
 * ports go. Undefined for what is no address.
 */
export function canonicalAddress(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text.trim())?.[1] ?? text.trim().replace(/^([\d.]+):\d{1,5}$/, '$1')
  const withoutZone = bare.replace(/%.*$/, '')
  if (!ipaddr.IPv4.isValidFourPartDecimal(withoutZone) && !ipaddr.IPv6.isValid(withoutZone)) return undefined
  return ipaddr.process(withoutZone).toString()
}

/** The unit that one customer of a network has: the address itself for IPv4, its /64 for IPv6. */
export function addressBlock(canonical: string): string {
  const address = ipaddr.parse(canonical)
  if (!(address instanceof ipaddr.IPv6)) return canonical
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${canonical}/64`).toString()}/64`
}
