import Router from '@koa/router'
import type Koa from 'koa'
import { analyzeProject } from './analysis/routes.ts'
import { linkCodeHost, returnFromCodeHost, signInWithCodeHost } from './auth/code-host/routes.ts'
import {
  askForPasswordReset,
  askForVerification,
  changeOwnPassword,
  resetByToken,
  showPasswordReset,
  showVerification,
  signInByEmail,
  signUpByEmail,
  verifyByToken,
} from './auth/password/routes.ts'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'
import { bodyLimits } from './http/body.ts'
import type { CallKind, Calls } from './http/rate-limit.ts'
import type { RequestState } from './http/request.ts'
import { showChangePassword, submitChangePassword } from './pages/change-password.ts'
import { continueWithCodeHost, linkOwnCodeHost } from './pages/code-host.ts'
import { answerWithPage } from './pages/door.ts'
import { showForgotPassword, submitForgotPassword } from './pages/forgot-password.ts'
import { showHome } from './pages/home.ts'
import { signInLocally } from './pages/local-sign-in.ts'
import { showResetPassword, submitResetPassword } from './pages/reset-password.ts'
import { endOtherSessions, endSession, leave } from './pages/sessions.ts'
import { showSignIn, submitSignIn } from './pages/sign-in.ts'
import { showSignUp, submitSignUp } from './pages/sign-up.ts'
import { askForOwnVerification } from './pages/verification.ts'
import { showVerifyEmail, submitVerifyEmail } from './pages/verify-email.ts'
import { requireOwnEmail, requireScope } from './permissions.ts'
import { listProjects, showProject } from './projects/routes.ts'
import {
  revokeAllOtherSessions,
  revokeOneSession,
  showCurrentSession,
  showSessions,
  signOut,
} from './sessions/routes.ts'

/**
 * Authenticates a request that makes these calls, within the limits of its caller.
 *
 * @param bodyLimit - bytes; the body is read before; undefined leaves it to the route
 */
export type CreateContext = (
  koa: Koa.ParameterizedContext<RequestState>,
  calls: Calls,
  bodyLimit: number | undefined,
) => Promise<Context>

/** What a route gets: the operation's context and Koa's, to read the input from. */
export type Route = (
  ctx: Context,
  koa: Koa.ParameterizedContext<RequestState> & { params: Record<string, string> },
) => Promise<Answer>

export interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

type Method = 'GET' | 'POST'

/** Every REST method and path that needs no credential; those that other services deliver to say so. */
const openRoutes: [Method, string, Route, 'webhooks'?][] = [
  ['GET', '/api/auth/get-session', showCurrentSession],
  ['POST', '/api/auth/sign-in/social', signInWithCodeHost],
  ['GET', '/api/auth/callback/code_host', returnFromCodeHost],
  ['POST', '/api/auth/sign-out', signOut],
  ['POST', '/api/auth/sign-up/email', signUpByEmail],
  ['POST', '/api/auth/sign-in/email', signInByEmail],
  ['POST', '/api/auth/request-password-reset', askForPasswordReset],
  ['GET', '/api/auth/reset-password', showPasswordReset],
  ['POST', '/api/auth/reset-password', resetByToken],
  ['POST', '/api/auth/send-verification-email', askForVerification],
  ['GET', '/api/auth/verify-email', showVerification],
  ['POST', '/api/auth/verify-email', verifyByToken],
]

/** Every other one, by session or token; `scopes.ts` names the scope that a token needs. */
const callerRoutes: [Method, string, Route][] = [
  ['POST', '/api/auth/link-social', linkCodeHost],
  ['GET', '/api/auth/list-sessions', showSessions],
  ['POST', '/api/auth/revoke-session', revokeOneSession],
  ['POST', '/api/auth/revoke-other-sessions', revokeAllOtherSessions],
  ['POST', '/api/auth/change-password', changeOwnPassword],
  ['GET', '/api/v1/projects', listProjects],
  ['GET', '/api/v1/projects/:id', showProject],
  ['POST', '/api/v1/projects/:id/analyze', analyzeProject],
]

/** Every page, and what its forms post to: for browsers, by session or without. */
const pageRoutes: [Method, string, Route][] = [
  ['GET', '/', showHome],
  ['GET', '/sign-in', showSignIn],
  ['POST', '/sign-in', submitSignIn],
  ['POST', '/sign-in/code-host', continueWithCodeHost],
  ['GET', '/sign-in/local', signInLocally],
  ['GET', '/sign-up', showSignUp],
  ['POST', '/sign-up', submitSignUp],
  ['GET', '/forgot-password', showForgotPassword],
  ['POST', '/forgot-password', submitForgotPassword],
  ['GET', '/verify-email', showVerifyEmail],
  ['POST', '/verify-email', submitVerifyEmail],
  ['POST', '/verify-email/send', askForOwnVerification],
  ['GET', '/reset-password', showResetPassword],
  ['POST', '/reset-password', submitResetPassword],
  ['GET', '/change-password', showChangePassword],
  ['POST', '/change-password', submitChangePassword],
  ['POST', '/link/code-host', linkOwnCodeHost],
  ['POST', '/sign-out', leave],
  ['POST', '/sessions/revoke', endSession],
  ['POST', '/sessions/revoke-others', endOtherSessions],
]

export function createRouter(createContext: CreateContext): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  // Looks nothing up, not even who calls: it counts against no limit.
  router.register('/health', ['GET'], (koa) => answer(koa, { status: 200, body: { ok: true } }))
  for (const [method, path, route, countedAs] of openRoutes) {
    router.register(path, [method], async (koa) => {
      answer(koa, await route(await createContext(koa, oneCall(method, countedAs), bodyLimitOf(path, countedAs)), koa))
    })
  }
  for (const [method, path, route] of pageRoutes) {
    router.register(path, [method], async (koa) => {
      answer(koa, await answerWithPage(() => createContext(koa, oneCall(method), bodyLimits.form), route, koa))
    })
  }
  for (const [method, path, route] of callerRoutes) {
    router.register(path, [method], async (koa) => {
      const ctx = await createContext(koa, oneCall(method), bodyLimitOf(path))
      requireScope(ctx, `${method} ${path}`)
      requireOwnEmail(ctx, koa.query['userEmail'] ?? koa.query['userEmail[]'])
      answer(koa, await route(ctx, koa))
    })
  }
  return router
}

/** What is delivered to us is checked as it is, byte by byte; signing in takes little. */
function bodyLimitOf(path: string, kind?: CallKind): number | undefined {
  if (kind === 'webhooks') return undefined
  return path.startsWith('/api/auth/') ? bodyLimits.form : bodyLimits.json
}

function oneCall(method: Method, kind: CallKind = method === 'GET' ? 'queries' : 'mutations'): Calls {
  return { kind, count: 1 }
}

/** Answers 405 for a path that exists under other methods. */
export function methodNotAllowed(router: Router<RequestState>): Koa.Middleware<RequestState> {
  return async (koa, next) => {
    await next()
    if (koa.status !== 404 || koa.body != null) return
    const allowed = [...new Set(router.match(koa.path, koa.method).path.flatMap((layer) => layer.methods))]
    if (allowed.length === 0 || allowed.includes(koa.method)) return
    throw new AppError('METHOD_NOT_ALLOWED', `${koa.path} takes ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') },
    })
  }
}

function answer(koa: Koa.ParameterizedContext<RequestState>, { status, body, headers }: Answer): void {
  koa.status = status
  if (body !== undefined) koa.body = body
  if (headers) koa.set(headers)
}
