import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { AppError, conflict, forbidden, notFound, rateLimited } from '../base/errors.ts'
import { boundedFetch, type CallLimits, NoUsableAnswer, type Send } from './bounded-fetch.ts'
import { noUsableAnswer } from './problems.ts'

const PluggedOctokit = Octokit.plugin(paginateRest, retry, throttling)
export type CodeHostClient = InstanceType<typeof PluggedOctokit>

export const callLimits: CallLimits = { deadlineMs: 10_000, maxBytes: 8 * 1_048_576 }
/** Longer rate limits are returned to the caller as an error. */
const maxWaitSeconds = 5

export interface ClientOptions {
  apiUrl: string
  token: string
  /** Identifies the account, because code hosts limit each account separately. */
  account: string
  signal: AbortSignal
  limits?: CallLimits
  /** Sends a single request; by default `fetch`. */
  send?: Send
}

/** Creates a client of a REST API that paginates with `Link` headers, as those of GitHub, GitLab and Gitea do. */
export function createClient({ apiUrl, token, account, signal, limits = callLimits, send }: ClientOptions) {
  const waits = (seconds: number, _options: object, _client: object, retries: number) =>
    seconds <= maxWaitSeconds && retries === 0
  // Octokit would log text from the host to the console.
  const quiet = () => undefined
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const fetch = boundedFetch({
    origin: new URL(apiUrl).origin,
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'Assay' },
    limits,
    signal,
    ...(send ? { send } : {}),
  })
  return new PluggedOctokit({
    baseUrl: apiUrl,
    log,
    request: { fetch, log },
    // The throttling plugin handles 429. Octokit also reports the errors of boundedFetch as 500.
    retry: { retries: 1, doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451, 500] },
    throttle: { id: account, onRateLimit: waits, onSecondaryRateLimit: waits },
  })
}

/** The part of an octokit error that is used here. */
interface Refusal extends Error {
  status: number
  response?: { headers: Record<string, string | number | undefined> }
}

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && 'status' in error && typeof error.status === 'number'

/** Returns the HTTP status of an error that a client threw. */
export const statusOf = (error: unknown) => (isRefusal(error) ? error.status : undefined)

const singleSignOn =
  'The organization requires single sign-on for the token. Authorize it in your account settings on the code host.'

/** Checks whether the call of an error may have had an effect, because its answer did not arrive. */
export const isUnclear = (error: unknown) => error instanceof AppError && error.cause instanceof NoUsableAnswer

/** Names the account of a client in messages. */
export interface AccountWording {
  /** `your linked account` */
  account: string
  /** What to do if the account may not do it. */
  advice: string
}

/** Converts an error of a client into an `AppError` without text from the code host. */
export function explainRefusal(error: unknown, now: Date, { account, advice }: AccountWording): unknown {
  if (error instanceof AppError || !isRefusal(error)) return error
  if (error.cause instanceof NoUsableAnswer) return noUsableAnswer(error.cause.message, error.cause)
  const { status, response } = error
  const retryAfter = limitOf(error, now)
  if (retryAfter !== undefined) {
    return rateLimited(`The code host limits the rate of ${account}. Try again in ${retryAfter} seconds.`, retryAfter)
  }
  if (status === 403) {
    const what = response?.headers['x-github-sso'] ? singleSignOn : advice
    return forbidden(`The code host does not allow this for ${account}. ${what}`)
  }
  if (status === 404) return notFound('repository at the code host', `It does not exist, or ${account} cannot see it.`)
  if (status < 500) return conflict(`The code host refused the call with status ${status}.`)
  return noUsableAnswer(`it has status ${status}`)
}

/** Returns the seconds to wait; undefined if the error is not a rate limit. */
function limitOf({ status, message, response }: Refusal, now: Date): number | undefined {
  const headers = response?.headers ?? {}
  const usedUp = headers['x-ratelimit-remaining'] === '0' || headers['ratelimit-remaining'] === '0'
  const after = Number(headers['retry-after'])
  // Only the message identifies some secondary rate limits.
  const limited = usedUp || after > 0 || /\bsecondary rate\b/i.test(message)
  if (status !== 429 && !(status === 403 && limited)) return undefined
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'])
  const untilReset = Math.ceil(reset - now.getTime() / 1_000)
  const seconds = after > 0 ? after : usedUp && untilReset > 0 ? untilReset + 1 : 60
  return Math.min(Math.ceil(seconds), 86_400)
}
