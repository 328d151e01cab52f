import type Koa from 'koa'
import { safeCallbackUrl } from '../identity/auth/callback-url.ts'
import type { Config } from '../config.ts'
import { invalid } from '../base/errors.ts'
import type { Answer } from '../http/route.ts'
import { leaveFor, redirect } from '../http/page.ts'

/**
 * Where the person wanted to go, as the page was called; undefined where nothing was said.
 *
 * @throws AppError 400 for an address that is not to be trusted
 */
export function callbackOf(config: Config, koa: Koa.ParameterizedContext): string | undefined {
  const { callbackURL } = koa.query
  if (Array.isArray(callbackURL)) throw invalid('callbackURL: must be one address')
  return callbackURL === undefined || callbackURL === '' ? undefined : safeCallbackUrl(config, callbackURL)
}

/** Sends a person who is signed in now where they wanted to go; to the first page if they did not say. */
export function goOn(config: Config, callbackURL: string | undefined): Answer {
  const url = new URL(safeCallbackUrl(config, callbackURL ?? '/'))
  return url.origin === new URL(config.baseUrl).origin ? redirect(url.href) : leaveFor(url.href, url.host)
}

/** A path of ours that keeps in mind where the person wanted to go. */
export function withCallback(path: string, callbackURL: string | undefined): string {
  return callbackURL === undefined ? path : `${path}?${new URLSearchParams({ callbackURL }).toString()}`
}
