import type Koa from 'koa'
import type { Config } from '../../../config.ts'
import { randomSecret } from '../../../base/crypto.ts'
import { readCookie, setCookie } from '../../sessions/cookie.ts'
import { isSecure } from '../../../http/secure.ts'
import { flowLifetimeMs } from './flow.ts'

const wellFormed = /^[A-Za-z0-9_-]{43}$/

/** Over HTTPS, the prefix prevents other sites on the same domain from setting the cookie. */
const cookieName = (config: Config) => (isSecure(config) ? '__Host-service.sign_in' : 'service.sign_in')

/**
 * Returns an id that identifies this browser during a sign-in. A second tab gets the same id, so that both can finish.
 */
export function ensureBrowserId(koa: Koa.ParameterizedContext, config: Config): string {
  const browserId = readBrowserId(koa, config) ?? randomSecret()
  setCookie(koa, config, cookieName(config), browserId, flowLifetimeMs / 1_000)
  return browserId
}

/** Returns undefined without an id, and for two different ids: another site on the same domain has set one of them. */
export function readBrowserId(koa: Koa.ParameterizedContext, config: Config): string | undefined {
  const [browserId, ...more] = new Set(readCookie(koa.req.headers.cookie, cookieName(config)))
  return browserId !== undefined && more.length === 0 && wellFormed.test(browserId) ? browserId : undefined
}
