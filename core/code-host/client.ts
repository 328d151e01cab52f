import type { CodeHostContext } from './context.ts'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import type { AccountLinkRow } from './entity.ts'
import { AppError, conflict, forbidden, notFound, rateLimited } from '../base/errors.ts'
import { findLink, freshLink, markRefused, tokenOf } from './account.ts'
import { boundedFetch, type CallLimits, NoUsableAnswer } from './bounded-fetch.ts'
import { howToLink, linkAgain, noAccount, noUsableAnswer } from './problems.ts'
import { refreshLink } from './refresh.ts'

const PluggedOctokit = Octokit.plugin(paginateRest, retry, throttling)
export type CodeHostClient = InstanceType<typeof PluggedOctokit>

const callLimits: CallLimits = { deadlineMs: 10_000, maxBytes: 8 * 1_048_576 }
/** The timeout of all calls of one `asLinkedUser`. */
const totalMs = 60_000
/** Longer rate limits are returned to the caller as an error. */
const maxWaitSeconds = 5

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
  const waits = (seconds: number, _options: object, _client: object, retries: number) =>
    seconds <= maxWaitSeconds && retries === 0
  // Octokit would log text from the host to the console.
  const quiet = () => undefined
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const fetch = boundedFetch({
    origin: new URL(apiUrl).origin,
    headers: { authorization: `Bearer ${tokenOf(ctx, link)}`, 'user-agent': 'Assay' },
    limits,
    signal: ctx.signal,
  })
  return new PluggedOctokit({
    baseUrl: apiUrl,
    log,
    request: { fetch, log },
    // The throttling plugin handles 429. Octokit also reports the errors of boundedFetch as 500.
    retry: { retries: 1, doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451, 500] },
    // The code host limits each account separately.
    throttle: { id: link.id, onRateLimit: waits, onSecondaryRateLimit: waits },
  })
}

/** The part of an octokit error that is used here. */
interface Refusal extends Error {
  status: number
  response?: { headers: Record<string, string | number | undefined> }
}

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && 'status' in error && typeof error.status === 'number'

const statusOf = (error: unknown) => (isRefusal(error) ? error.status : undefined)

function explain(ctx: CodeHostContext, error: unknown): unknown {
  if (error instanceof AppError || !isRefusal(error)) return error
  if (error.cause instanceof NoUsableAnswer) return noUsableAnswer(error.cause.message)
  const { status, response } = error
  const retryAfter = limitOf(error, ctx.now())
  if (retryAfter !== undefined) {
    return rateLimited(`The code host limits the rate of your account. Try again in ${retryAfter} seconds.`, retryAfter)
  }
  if (status === 403) {
    const why = response?.headers['x-github-sso']
      ? 'The organization requires single sign-on for the token. Authorize it in your account settings on the code host.'
      : 'Request access there, or link the account again with more scopes.'
    return forbidden(`The code host does not allow this for your linked account. ${why} ${howToLink(ctx.config)}`)
  }
  if (status === 404)
    return notFound('repository at the code host', 'It does not exist, or your account cannot see it.')
  if (status < 500) return conflict(`The code host refused the call with status ${status}.`)
  return noUsableAnswer(`it has status ${status}`)
}

/** Returns the seconds to wait; undefined if the error is not a rate limit. */
function limitOf({ status, message, response }: Refusal, now: Date): number | undefined {
  const headers = response?.headers ?? {}
  const usedUp = headers['x-ratelimit-remaining'] === '0'
  const after = Number(headers['retry-after'])
  // Only the message identifies some secondary rate limits.
  const limited = usedUp || after > 0 || /\bsecondary rate\b/i.test(message)
  if (status !== 429 && !(status === 403 && limited)) return undefined
  const untilReset = Math.ceil(Number(headers['x-ratelimit-reset']) - now.getTime() / 1_000)
  const seconds = after > 0 ? after : usedUp && untilReset > 0 ? untilReset + 1 : 60
  return Math.min(Math.ceil(seconds), 86_400)
}
