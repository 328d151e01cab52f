import type { CodeHostContext } from './context.ts'
import type { AccountLinkRow } from './entity.ts'
import { findLink, freshLink, markRefused, tokenOf } from './account.ts'
import type { CallLimits } from './bounded-fetch.ts'
import { howToLink, linkAgain, noAccount } from './problems.ts'
import { refreshLink } from './refresh.ts'
import { callLimits, type CodeHostClient, createClient, explainRefusal, statusOf } from './rest-client.ts'

/** The timeout of all calls of one `asLinkedUser`. */
const totalMs = 60_000

/**
 * Calls the code host as a user, with the token of the linked account. If the code host rejects the token, it is
 * refreshed once, if possible.
 *
 * @throws AppError - CONFLICT if no account is linked or it must be linked again; RATE_LIMITED; FORBIDDEN; NOT_FOUND;
 *   TIMEOUT for errors that a retry may fix. No message contains text from the code host.
 */
export async function asLinkedUser<T>(
  ctx: CodeHostContext,
  userId: string,
  work: (client: CodeHostClient) => Promise<T>,
  limits: CallLimits = callLimits,
): Promise<T> {
  const found = await findLink(ctx, userId)
  if (!found) throw noAccount(ctx.config)
  const within = { ...ctx, signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(totalMs)]) }
  const attempt = (link: AccountLinkRow) => work(clientFor(within, link, limits))
  const link = await freshLink(within, found)
  try {
    return await attempt(link)
  } catch (error) {
    if (statusOf(error) !== 401) throw explain(ctx, error)
  }
  const renewed = await refreshLink(within, link)
  if (renewed) {
    try {
      return await attempt(renewed)
    } catch (error) {
      if (statusOf(error) !== 401) throw explain(ctx, error)
    }
  }
  await markRefused(ctx, renewed ?? link)
  throw linkAgain(ctx.config)
}

function clientFor(ctx: CodeHostContext, link: AccountLinkRow, limits: CallLimits): CodeHostClient {
  const { apiUrl } = ctx.config.codeHost
  return createClient({ apiUrl, token: tokenOf(ctx, link), account: link.id, signal: ctx.signal, limits })
}

function explain({ config, now }: CodeHostContext, error: unknown): unknown {
  return explainRefusal(error, now(), {
    account: 'your linked account',
    advice: `Request access there, or link the account again with more scopes. ${howToLink(config)}`,
  })
}
