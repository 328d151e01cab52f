import type Koa from 'koa'
import type { Config } from '../../config.ts'
import { isSecure } from '../../http/secure.ts'

export const sessionCookie = 'service.session_token'

const maxAgeSeconds = 604_800

export function setSessionCookie(koa: Koa.ParameterizedContext, config: Config, token: string): void {
  setCookie(koa, config, sessionCookie, token, maxAgeSeconds)
}

export function clearSessionCookie(koa: Koa.ParameterizedContext, config: Config): void {
  setCookie(koa, config, sessionCookie, '', 0)
}

/** Sets an HttpOnly, SameSite=Lax cookie. The last call for a name wins. */
export function setCookie(
  koa: Koa.ParameterizedContext,
  config: Config,
  name: string,
  value: string,
  maxAge: number,
): void {
  const others = koa.res.getHeader('Set-Cookie')
  const kept = [others ?? []].flat().map(String)
  const rest = kept.filter((cookie) => !cookie.startsWith(`${name}=`))
  const attributes = [
    'Path=/',
    `Max-Age=${maxAge}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(config) ? ['Secure'] : []),
  ]
  koa.res.setHeader('Set-Cookie', [...rest, [`${name}=${value}`, ...attributes].join('; ')])
}

/** Browsers keep no cookie larger than 4,096 bytes, and servers read 8 kB of them in one header. */
const maxHeader = 16_384
const maxValue = 4_096

/**
 * Returns the values of one cookie in a `Cookie` header, in order and without quotes. There may be several, because
 * another site on the same domain can set a cookie with our name. Values and headers that no browser sends, because they
 * are too long, count as absent.
 */
export function readCookie(header: string | undefined, name: string): string[] {
  if (header === undefined || header.length > maxHeader) return []
  return header.split(';').flatMap((pair) => {
    const separator = pair.indexOf('=')
    if (separator < 0 || trimmed(pair.slice(0, separator)) !== name) return []
    const value = trimmed(pair.slice(separator + 1)).replace(/^"(.*)"$/, '$1')
    return value.length > maxValue ? [] : [value]
  })
}

/** Removes spaces and tabs at both ends. The standard trims only these; `String.prototype.trim` removes more. */
function trimmed(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t'
  let [start, end] = [0, text.length]
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return text.slice(start, end)
}
