import { isIP } from 'node:net'
import { explainRefusal, hostOf, isAllowed } from '../../engines/network/addresses.ts'
import { parseRepositoryUrl } from '../../engines/source/url.ts'
import { invalidField } from '../base/errors.ts'
import type { CodeHostKind } from '../code-host/schema.ts'
import type { Config } from '../config.ts'

const apiPaths: Record<CodeHostKind, string> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }

/** Returns the address of the API of a code host with this repository. */
export function defaultApiUrl(kind: CodeHostKind, repository: string): string | undefined {
  const location = parseRepositoryUrl(repository, { allowLocal: true })
  if (location.kind !== 'remote') return undefined
  if (kind === 'github' && location.hostname === 'github.com') return 'https://api.github.com'
  return `${location.origin}${apiPaths[kind]}`
}

/**
 * Checks the address of an API and returns it without a trailing slash. The addresses of its host name are checked at
 * each call, since they can change at any time.
 */
export function acceptApiUrl(
  given: string,
  { outboundAllowCidrs, production }: Pick<Config, 'outboundAllowCidrs' | 'production'>,
): string {
  const url = /[\s\\\p{Cc}]/u.test(given) ? null : URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol) || hostOf(url) === '' || url.port === '0') {
    throw invalidField('apiUrl', 'must be an address such as https://gitlab.example.com/api/v4')
  }
  if (production && url.protocol !== 'https:') {
    throw invalidField('apiUrl', 'starts with http. Use https, so that the token is encrypted.')
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(given)) {
    throw invalidField('apiUrl', 'must not contain a user name, a password, a query or a fragment')
  }
  const host = hostOf(url)
  // `localhost` always means loopback, whatever name servers say (RFC 6761).
  const addresses = /(?:^|\.)localhost$/.test(host) ? ['127.0.0.1', '::1'] : [host]
  const isKnown = addresses.every((address) => isIP(address) !== 0)
  if (isKnown && !addresses.some((address) => isAllowed(address, outboundAllowCidrs))) {
    throw invalidField('apiUrl', explainRefusal(host))
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`
}

/** Returns the path of a repository at the code host with this API, such as `group/shop`. */
export function pathAtHost(apiUrl: string, repository: string): string | undefined {
  const location = parseRepositoryUrl(repository, { allowLocal: true })
  if (location.kind !== 'remote') return undefined
  // A code host below a path has its API and its repositories there.
  const below = new URL(apiUrl).pathname.replace(/\/api\/v\d$/, '').replace(/^\/$/, '')
  const { pathname } = new URL(location.url)
  if (!pathname.startsWith(`${below}/`)) return undefined
  const path = decode(pathname.slice(below.length + 1))
    ?.replace(/\/$/, '')
    .replace(/\.git$/, '')
  return path !== undefined && /^[^/]+(?:\/[^/]+)+$/.test(path) ? path : undefined
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
