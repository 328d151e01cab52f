import { type Context, requireSession } from '../../../base/context.ts'
import type { Config } from '../../../config.ts'
import { invalid } from '../../../base/errors.ts'
import { addressKey } from '../../limits/limits.ts'
import { safeCallbackUrl } from '../callback-url.ts'
import { beginAuthorization, type ConfiguredCodeHost } from './exchange.ts'
import { saveFlow } from './flow.ts'
import type { CodeHostRedirect, LinkCodeHost, SignInWithCodeHost } from './schema.ts'

const identityScopes = ['read:user', 'user:email']

/**
 * Starts signing in with the code host and returns the URL for the browser.
 *
 * @param browserId - from `ensureBrowserId`; only this browser can complete the sign-in
 * @throws AppError 400 if the code host is not configured, or the return address is not trusted
 */
export function startCodeHostSignIn(
  ctx: Context,
  input: SignInWithCodeHost,
  browserId: string,
): Promise<CodeHostRedirect> {
  return start(ctx, input, { browserId, userId: null, scopes: identityScopes })
}

/** Starts linking a code host account to the signed-in user, or adding scopes to a linked account. */
export function startCodeHostLink(ctx: Context, input: LinkCodeHost, browserId: string): Promise<CodeHostRedirect> {
  const { userId } = requireSession(ctx)
  const scopes = [...new Set([...identityScopes, ...(input.scopes ?? [])])]
  return start(ctx, input, { browserId, userId, scopes })
}

async function start(
  ctx: Context,
  input: SignInWithCodeHost,
  { browserId, userId, scopes }: { browserId: string; userId: string | null; scopes: string[] },
): Promise<CodeHostRedirect> {
  const config = withCodeHost(ctx.config)
  if (!config) {
    throw invalid(
      'Signing in with the code host is not configured on this server. ' +
        'Register an OAuth app with the code host, and set CODE_HOST_CLIENT_ID and CODE_HOST_CLIENT_SECRET.',
    )
  }
  const callbackUrl = safeCallbackUrl(ctx.config, input.callbackURL)
  const errorCallbackUrl =
    input.errorCallbackURL === undefined
      ? null
      : safeCallbackUrl(ctx.config, input.errorCallbackURL, 'errorCallbackURL')
  await ctx.limits.attempt('oauthByAddress', addressKey(ctx))
  const { url, state, codeVerifier } = await beginAuthorization(config, scopes)
  await saveFlow(ctx, { state, browserId }, { codeVerifier, callbackUrl, errorCallbackUrl, userId })
  return { url, redirect: !input.disableRedirect }
}

/** Returns undefined if sign-in with the code host is not configured. */
export function withCodeHost({ baseUrl, codeHost }: Config): ConfiguredCodeHost | undefined {
  const { client } = codeHost
  return client && { baseUrl, codeHost: { ...codeHost, client } }
}
