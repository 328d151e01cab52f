import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ResolveName } from './addresses.ts'

export interface NameServerOptions {
  /** Of one question; the second try gets longer. */
  timeoutMs?: number
  /** In place of the machine's own, as `address:port`. */
  servers?: string[]
  hostsFile?: string
  /** How long the hosts file is taken for known. */
  renewAfterMs?: number
}

/** Once one family of addresses is known. Some name servers never answer for the other one. */
const otherFamilyMs = 500

const systemHostsFile = process.platform === 'win32' ? String.raw`C:\Windows\System32\drivers\etc\hosts` : '/etc/hosts'

/**
 * Resolves names by asking the name servers from here. The system's own resolver works in a pool of four threads, where
 * a few names whose servers never answer would stop everybody's. Names count as complete: no search domain is added.
 * The hosts file is heeded where networks are allowed, for the names of those.
 */
export function nameServers(options: NameServerOptions = {}): ResolveName {
  const { timeoutMs = 3_000, servers, hostsFile = systemHostsFile, renewAfterMs = 10_000 } = options
  let hosts: Promise<Map<string, string[]>> | undefined
  let renewAt = 0
  const localAddresses = async (host: string) => {
    if (!hosts || Date.now() >= renewAt) {
      hosts = readHosts(hostsFile)
      renewAt = Date.now() + renewAfterMs
    }
    return (await hosts).get(host)
  }
  return async (host, allowCidrs) => {
    const local = allowCidrs.length > 0 ? await localAddresses(host) : undefined
    if (local) return local
    // One for each name: an answer that cannot be read fails all questions of a resolver that are under way.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    try {
      return await ask(resolver, host)
    } finally {
      resolver.cancel()
    }
  }
}

async function ask(resolver: Resolver, host: string): Promise<string[]> {
  const found: string[][] = [[], []]
  const questions = [resolver.resolve4(host), resolver.resolve6(host)].map(async (question, family) => {
    found[family] = await question
  })
  await Promise.any(questions)
  await Promise.race([Promise.allSettled(questions), sleep(otherFamilyMs, undefined, { ref: false })])
  return found.flat()
}

async function readHosts(file: string): Promise<Map<string, string[]>> {
  const hosts = new Map<string, string[]>()
  // A machine without the file has no such names.
  const text = await readFile(file, 'utf8').catch(() => '')
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    if (!address) continue
    for (const name of names) hosts.set(name, [...(hosts.get(name) ?? []), address])
  }
  // Every system takes this name for loopback, and not all write it down.
  if (!hosts.has('localhost')) hosts.set('localhost', ['127.0.0.1', '::1'])
  return hosts
}
