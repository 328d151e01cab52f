import { fileURLToPath } from 'node:url'

/**
 * Returns one key for all spellings of a repository's address: `git@host:a/b.git`, `https://host/a/b` and
 * `ssh://git@host:22/a/b/` become `host/a/b`. Addresses are case-insensitive, local paths are not.
 */
export function repositoryKey(address: string): string {
  const text = address.trim()
  if (text.startsWith('file:')) return localKey(pathOfFileUrl(text))
  if (text.startsWith('/') || /^[A-Za-z]:[\\/]/.test(text)) return localKey(text)
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(text)
  if (scp?.[1] && scp[2]) return remoteKey(scp[1], scp[2])
  if (!URL.canParse(text)) return trimmed(text).toLowerCase()
  const url = new URL(text)
  // Web servers on two ports are two servers. The ssh port does not identify a repository.
  return remoteKey(url.protocol.startsWith('http') ? url.host : url.hostname, url.pathname)
}

const remoteKey = (host: string, path: string) => `${host}/${trimmed(path)}`.toLowerCase()

const localKey = (path: string) => `/${trimmed(path.replaceAll('\\', '/').replace(/\/\.git\/*$/, ''))}`

const trimmed = (path: string) =>
  path
    .replace(/^\/+/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')

function pathOfFileUrl(text: string): string {
  try {
    return fileURLToPath(text)
  } catch {
    return text.slice('file:'.length)
  }
}

/**
 * Returns the web address of a repository, because core does not fetch over ssh; undefined where it has none. Omits user
 * name and password, because agents pass the address on.
 */
export function httpsAddress(address: string): string | undefined {
  const text = address.trim()
  const [, host, path] = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?:(?::\d+(?=\/)|:)\/?|\/)([^\s:?#]+)$/.exec(text) ?? []
  if (host && path) return `https://${host}/${path}`
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return `${url.protocol}//${url.host}${url.pathname}`
}

/** True where `wanted` is the repository's address in any spelling, or its end: `owner/name`. */
export function isSameRepository(repository: string, wanted: string): boolean {
  const key = repositoryKey(repository)
  const wantedKey = repositoryKey(wanted)
  const isShort = /^[\w.-]+\/[\w.-]+$/.test(wanted.trim())
  return key === wantedKey || (isShort && key.endsWith(`/${wantedKey}`))
}
