import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RepositoryError } from './types.ts'

export type RepositoryUrl =
  | { kind: 'remote'; protocol: 'https' | 'http'; url: string; origin: string; hostname: string; port: number }
  | { kind: 'local'; path: string }

const maxUrlLength = 2_048

/**
 * Takes a repository's address apart. Everything but https, http and, where allowed, an absolute path or `file://` is
 * refused as `url_refused`: git knows transports that run programs. Whether the host may be reached, and whether plain
 * http may be used for it, is decided when it is resolved.
 */
export function parseRepositoryUrl(text: string, { allowLocal }: { allowLocal: boolean }): RepositoryUrl {
  const refuse = (reason: string) => new RepositoryError('url_refused', `${reason} ${accepted(allowLocal)}`)
  if (text === '') throw refuse('The repository URL is empty.')
  if (text.length > maxUrlLength) throw refuse(`The repository URL is longer than ${maxUrlLength} characters.`)
  if (/\p{Cc}|%[01][0-9a-f]|%7f/iu.test(text)) throw refuse('The repository URL contains control characters.')
  if (!text.isWellFormed()) throw refuse('The repository URL is not valid text.')
  if (text.startsWith('-')) throw refuse('The repository URL starts with a dash.')

  if (/^https?:/i.test(text)) return parseRemote(text, refuse)
  if (isAbsolute(text) || /^file:/i.test(text)) {
    if (!allowLocal) throw refuse('This server does not analyze repositories on its own file system.')
    return { kind: 'local', path: isAbsolute(text) ? resolve(text) : pathOfFileUrl(text, refuse) }
  }
  const [, host, path] = /^(?:ssh:\/\/)?[\w-]+@([\w.-]+)[:/](?!\d+\/)\/?([\w./~-]+)$/.exec(text) ?? []
  if (host && path) throw refuse(`ssh URLs are not supported. Try https://${host}/${path}.`)
  throw refuse('This kind of repository URL is not supported.')
}

/** The rules of `git check-ref-format --branch`, and no name that reads as an option. */
export function isValidBranchName(name: string): boolean {
  if (name.length > 255 || name === 'HEAD' || name.startsWith('-')) return false
  if (/[\p{Cc} ~^:?*[\\]/u.test(name) || !name.isWellFormed()) return false
  if (name.includes('..') || name.includes('@{') || name.endsWith('.')) return false
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}

function parseRemote(text: string, refuse: (reason: string) => RepositoryError): RepositoryUrl {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\//i.test(text) || text.includes('\\')) throw refuse('The repository URL is not a valid URL.')
  if (/^https?:\/\/[^/]*@/i.test(text)) {
    throw refuse('The repository URL contains a user name or a password, which would be stored unencrypted.')
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) {
    throw refuse('The repository URL contains a query or a fragment.')
  }
  // With a dot at its end the host would be looked up under a name other than the one whose address was vetted.
  url.hostname = url.hostname.replace(/(?<!\.)\.+$/, '')
  if (url.hostname === '' || url.hostname.endsWith('.')) throw refuse('The repository URL has no host.')
  if (url.pathname === '/') throw refuse('The repository URL has a host but no path to a repository.')
  const protocol = url.protocol === 'https:' ? 'https' : 'http'
  return {
    kind: 'remote',
    protocol,
    url: url.href,
    origin: url.origin,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (protocol === 'https' ? 443 : 80) : Number(url.port),
  }
}

function pathOfFileUrl(text: string, refuse: (reason: string) => RepositoryError): string {
  const url = URL.parse(text)
  if (!url || !/^file:\/\/(?:localhost)?\//i.test(text) || url.search !== '' || url.hash !== '') {
    throw refuse('The file URL is not an absolute path on this machine.')
  }
  try {
    return fileURLToPath(url)
  } catch (error) {
    if (error instanceof TypeError) throw refuse('The file URL is not an absolute path on this machine.')
    throw error
  }
}

function accepted(allowLocal: boolean): string {
  return allowLocal
    ? 'Use https://host/path or the absolute path of a repository on this machine.'
    : 'Use https://host/path.'
}
