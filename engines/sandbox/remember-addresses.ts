/** Returns the allowed addresses of a host. */
export type Resolve = (hostname: string) => Promise<string[]>

const foundMs = 30_000
const notFoundMs = 2_000
const maxHosts = 1_000

/**
 * Caches lookups, because some package managers open a connection for every package, and a name server with that many
 * requests answers late or not at all.
 */
export function rememberAddresses(resolve: Resolve, now: () => number = () => performance.now()): Resolve {
  const known = new Map<string, { addresses: Promise<string[]>; until: number }>()
  return (hostname) => {
    const earlier = known.get(hostname)
    if (earlier && earlier.until > now()) return earlier.addresses
    const entry = { addresses: resolve(hostname), until: now() + foundMs }
    entry.addresses.catch(() => {
      entry.until = now() + notFoundMs
    })
    known.delete(hostname)
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size >= maxHosts) known.delete(oldest)
    known.set(hostname, entry)
    return entry.addresses
  }
}
