/** The end of the output, where package managers report why they gave up. */
const maxTail = 65_536

const host = String.raw`((?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z][a-z0-9-]{0,62})`
/** How package managers and their libraries report that a host name could not be resolved. */
const reports = [
  String.raw`(?:ENOTFOUND|EAI_AGAIN|resolve host:|resolve|UnknownHostException:|Unknown host|reach host|dial tcp: lookup) '?${host}`,
  String.raw`${host}(?::\d{1,5})?\)?:? ?\(?(?:getaddrinfo|Temporary failure in name resolution|Name or service not known)`,
  String.raw`(?:Name or service not known|Temporary failure in name resolution) \(${host}`,
].map((pattern) => new RegExp(pattern, 'gi'))
const namedOnly = /failed to lookup address|name resolution|Name or service not known|getaddrinfo/i
const lastUrl = new RegExp(String.raw`https?://${host}`, 'gi')

/** Keeps the end of what a command prints. */
export function keepTail(): { write: (text: string) => void; text: () => string } {
  let tail = ''
  return {
    write: (text) => void (tail = (tail + text).slice(-maxTail)),
    text: () => tail,
  }
}

/** Returns the host that a command could not resolve, or undefined if its output reports no such problem. */
export function unresolvedHost(output: string): string | undefined {
  for (const report of reports) {
    const found = [...output.matchAll(report)].at(-1)?.[1]
    if (found !== undefined) return found
  }
  // Some name only the address that they asked for.
  return namedOnly.test(output) ? [...output.matchAll(lastUrl)].at(-1)?.[1] : undefined
}
