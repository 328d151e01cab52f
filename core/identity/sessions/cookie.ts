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

// The standard trims only these; String.prototype.trim removes more.
const blanks = /^[ \t]+|[ \t]+$/g

/**
 * Returns the values of one cookie in a `Cookie` header, in order and without quotes. There may be several, because
 * another site on the same domain can set a cookie with our name.
 */
export function readCookie(header: string | undefined, name: string): string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const separator = pair.indexOf('=')
    if (separator < 0 || pair.slice(0, separator).replace(blanks, '') !== name) return []
    return [
      pair
        .slice(separator + 1)
        .replace(blanks, '')
        .replace(/^"(.*)"$/, '$1'),
    ]
  })
}
