import { recordAudit } from '../../audit/record.ts'
import { type Context, inTransaction, type UserActor } from '../../../base/context.ts'
import { AppError } from '../../../base/errors.ts'
import { addressKey } from '../../limits/limits.ts'
import { startSession } from '../../sessions/start.ts'
import { findOrCreateUser, linkToUser } from './accounts.ts'
import { exchangeCode } from './exchange.ts'
import { type Flow, takeFlow } from './flow.ts'
import { CodeHostFailure, type CodeHostProblem } from './problems.ts'
import { fetchProfile } from './profile.ts'
import { withCodeHost } from './start.ts'

/** The outcome of a return from the code host, and where the browser goes next. */
export type Finished =
  | { kind: 'signed_in'; location: string; /** For the session cookie. */ token: string }
  | { kind: 'linked'; location: string }
  | { kind: 'failed'; location: string }
  /** The registered callback URL differs from ours. A page explains it, because another attempt would fail too. */
  | { kind: 'mismatch' }

const codePattern = /^[\x21-\x7e]{1,1024}$/

/**
 * Completes what `startCodeHostSignIn` or `startCodeHostLink` began. Reads `code`, `state` and `error` from the query
 * and ignores the rest. Never throws: every failure redirects the browser.
 *
 * @param browserId - from `readBrowserId`
 */
export async function finishCodeHostSignIn(
  ctx: Context,
  query: URLSearchParams,
  browserId: string | undefined,
): Promise<Finished> {
  let flow: Flow | undefined
  try {
    await ctx.limits.attempt('oauthByAddress', addressKey(ctx))
    const [state = '', ...moreStates] = query.getAll('state')
    if (browserId !== undefined && moreStates.length === 0) flow = await takeFlow(ctx, { state, browserId })
    const refusal = query.get('error')
    if (refusal !== null) throw refusedThere(refusal)
    if (!flow) throw new CodeHostFailure('invalid_state', 'this browser has no sign-in with this state')
    const [code = '', ...moreCodes] = query.getAll('code')
    if (moreCodes.length > 0 || !codePattern.test(code)) {
      throw new CodeHostFailure('invalid_code', 'the callback has no valid code')
    }
    const finished = await complete(ctx, flow, { code, state })
    await ctx.limits.refund('oauthByAddress', addressKey(ctx))
    return finished
  } catch (thrown) {
    return describe(ctx, flow, thrown)
  }
}

async function complete(ctx: Context, flow: Flow, given: { code: string; state: string }): Promise<Finished> {
  const { userId, callbackUrl: location } = flow
  const config = withCodeHost(ctx.config)
  if (!config) throw new CodeHostFailure('code_host_misconfigured', 'the code host is no longer configured')
  const linker = userId === null ? undefined : requireSameUser(ctx, userId)
  const tokens = await exchangeCode(config, { ...given, codeVerifier: flow.codeVerifier })
  const identity = { tokens, profile: await fetchProfile(config.codeHost, tokens.accessToken) }
  return inTransaction(ctx, async (ctx) => {
    if (linker) {
      await linkToUser(ctx, linker, identity)
      return { kind: 'linked', location }
    }
    const { token } = await startSession(ctx, await findOrCreateUser(ctx, identity), 'code_host')
    return { kind: 'signed_in', location, token }
  })
}

/** Without this check, a link that one user began would end in the account of another user who has signed in since. */
function requireSameUser({ actor }: Context, userId: string): UserActor {
  if (actor?.kind === 'user' && actor.userId === userId) return actor
  throw new CodeHostFailure('session_changed', 'the user who began the link is not signed in any more', userId)
}

function refusedThere(error: string): CodeHostFailure {
  if (error === 'access_denied') return new CodeHostFailure('access_denied', 'the user denied access')
  const name = /^[a-z_]{1,60}$/.test(error) ? error : 'unknown error'
  const problem = error === 'redirect_uri_mismatch' ? error : 'code_host_refused'
  return new CodeHostFailure(problem, `the code host refused: ${name}`)
}

/** Any client can cause these failures before the code is exchanged, so they would flood the audit log. */
const notAudited = new Set<CodeHostProblem>([
  'invalid_state',
  'access_denied',
  'code_host_refused',
  'redirect_uri_mismatch',
])

async function describe(ctx: Context, flow: Flow | undefined, thrown: unknown): Promise<Finished> {
  const location = new URL(flow?.errorCallbackUrl ?? '/sign-in', ctx.config.baseUrl)
  const failed = (problem: CodeHostProblem): Finished => {
    location.searchParams.set('error', problem)
    return { kind: 'failed', location: location.href }
  }
  if (thrown instanceof AppError && thrown.code === 'RATE_LIMITED') return failed('rate_limited')
  const { requestId } = ctx
  if (!(thrown instanceof CodeHostFailure)) {
    ctx.log.error({ err: thrown, requestId }, 'a sign-in with the code host failed')
    return failed('unexpected')
  }
  const { problem, userId, message } = thrown
  ctx.log.warn({ requestId, problem, reason: message }, 'a sign-in with the code host failed')
  if (flow && !notAudited.has(problem)) {
    try {
      await recordAudit(ctx, 'failed_auth', userId, { method: 'code_host', reason: problem })
    } catch (error) {
      ctx.log.error({ err: error, requestId }, 'a failed sign-in was not recorded')
    }
  }
  return problem === 'redirect_uri_mismatch' ? { kind: 'mismatch' } : failed(problem)
}
