import type Koa from 'koa'
import { safeCallbackUrl } from '../identity/auth/callback-url.ts'
import type { Config } from '../config.ts'
import { invalid } from '../base/errors.ts'
import type { Answer } from '../http/route.ts'
import { leaveFor, redirect } from '../http/page.ts'

/**
 * Returns the address to open after sign-in, from the query of the page.
 *
 * @throws AppError 400 for an address of an untrusted origin
 */
export function callbackOf(config: Config, koa: Koa.ParameterizedContext): string | undefined {
  const { callbackURL } = koa.query
  if (Array.isArray(callbackURL)) throw invalid('callbackURL: must occur once')
  return callbackURL === undefined || callbackURL === '' ? undefined : safeCallbackUrl(config, callbackURL)
}

/** Redirects the signed-in user to the requested address, by default the account page. */
export function goOn(config: Config, callbackURL: string | undefined): Answer {
  const url = new URL(safeCallbackUrl(config, callbackURL ?? '/'))
  return url.origin === new URL(config.baseUrl).origin ? redirect(url.href) : leaveFor(url.href, url.host)
}

/** Returns a path of our own that passes the requested address on. */
export function withCallback(path: string, callbackURL: string | undefined): string {
  return callbackURL === undefined ? path : `${path}?${new URLSearchParams({ callbackURL }).toString()}`
}
