import type { Config } from '../../../config.ts'
import type { Context } from '../../../base/context.ts'
import { AppError, invalid } from '../../../base/errors.ts'
import { withContract, restHandler } from '../../../http/handler.ts'
import type { Contract } from '../../../http/contract.ts'
import type { Route } from '../../../http/route.ts'
import { setSessionCookie } from '../../sessions/cookie.ts'
import { foreignHost, mismatchPage, requestedHost } from './arrival.ts'
import { ensureBrowserId, readBrowserId } from './browser.ts'
import { redirectUri } from './exchange.ts'
import { finishCodeHostSignIn } from './finish.ts'
import { CodeHostRedirect, CodeHostReturn, LinkCodeHost, SignInWithCodeHost } from './schema.ts'
import { startCodeHostLink, startCodeHostSignIn } from './start.ts'

type Koa = Parameters<Route>[1]

export const signInWithCodeHost = restHandler(
  {
    name: 'signInWithCodeHost',
    summary: 'Starts signing in with the code host',
    description: 'Returns the address to send the browser to.',
    body: SignInWithCodeHost,
    answers: { 200: CodeHostRedirect },
  },
  async (ctx, { body }, koa) => {
    requireOurAddress(ctx, koa)
    return { status: 200, body: await startCodeHostSignIn(ctx, body, ensureBrowserId(koa, ctx.config)) }
  },
)

export const linkCodeHost = restHandler(
  {
    name: 'linkCodeHost',
    summary: 'Starts linking a code host account to the signed-in user',
    body: LinkCodeHost,
    answers: { 200: CodeHostRedirect },
    session: 'required',
  },
  async (ctx, { body }, koa) => {
    requireOurAddress(ctx, koa)
    return { status: 200, body: await startCodeHostLink(ctx, body, ensureBrowserId(koa, ctx.config)) }
  },
)

const returning: Contract = {
  name: 'returnFromCodeHost',
  summary: 'Completes signing in: the code host redirects the browser here',
  query: CodeHostReturn,
  answers: {
    302: 'Redirects to `callbackURL` with the session cookie, or to `errorCallbackURL` with `?error=<code>`',
    400: 'A page that explains that the browser used another address than `BASE_URL`',
  },
}

export const returnFromCodeHost = withContract(returning, async (ctx, koa) => {
  // A HEAD request, which no browser sends here, must not use up the state.
  if (koa.method !== 'GET')
    throw new AppError('METHOD_NOT_ALLOWED', `${koa.path} allows only GET.`, { headers: { Allow: 'GET' } })
  const elsewhere = foreignHost(koa.req, ctx.config)
  if (elsewhere !== undefined) return mismatchPage(ctx.config, elsewhere)
  const browserId = readBrowserId(koa, ctx.config)
  const finished = await finishCodeHostSignIn(ctx, new URLSearchParams(koa.querystring), browserId)
  if (finished.kind === 'mismatch') return mismatchPage(ctx.config, requestedHost(koa.req, ctx.config))
  if (finished.kind === 'signed_in') setSessionCookie(koa, ctx.config, finished.token)
  return { status: 302, headers: { Location: finished.location } }
})

/** The browser must send the cookie of this response when it returns. Pages of trusted origins choose the right address. */
function requireOurAddress({ config }: Context, { req }: Koa): void {
  const elsewhere = req.headers.origin === undefined ? foreignHost(req, config) : undefined
  if (elsewhere !== undefined) throw invalid(describeElsewhere(config, elsewhere))
}

function describeElsewhere(config: Config, elsewhere: string): string {
  return (
    `This call used the address ${elsewhere}, but the address of Assay is ${config.baseUrl}. The code host redirects ` +
    `to ${redirectUri(config)}. Call that address, or set BASE_URL to the address that users open. ` +
    'Behind a proxy, set TRUST_PROXY.'
  )
}
