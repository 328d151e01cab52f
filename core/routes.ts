import Router from '@koa/router'
import type Koa from 'koa'
import { analyzeProject } from './analysis/routes.ts'
import { linkCodeHost, returnFromCodeHost, signInWithCodeHost } from './identity/auth/code-host/routes.ts'
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
} from './identity/auth/password/routes.ts'
import { receiveBillingEvent } from './billing/routes.ts'
import { AppError } from './base/errors.ts'
import { downloadFile, viewFile } from './files/routes.ts'
import type { Admit } from './http/admission.ts'
import { bodyLimits } from './http/body.ts'
import type { RestHandler } from './http/handler.ts'
import type { Contract } from './http/contract.ts'
import type { Answer, AnonymousContext, CreateContext, Route, CallKind, Calls } from './http/route.ts'
import type { RequestState } from './http/request-state.ts'
import { receiveForAll, receiveForApp, receiveForProject } from './inbound/routes.ts'
import type { RestRoute } from './openapi/document.ts'
import { referenceFiles, referencePage } from './openapi/reference.ts'
import { type StaticRoute, showDocument, showHealth } from './openapi/routes.ts'
import { showChangePassword, submitChangePassword } from './pages/change-password.ts'
import { continueWithCodeHost, linkOwnCodeHost } from './pages/code-host.ts'
import { answerWithPage } from './pages/answer-with-page.ts'
import { showForgotPassword, submitForgotPassword } from './pages/forgot-password.ts'
import { dashboardPaths, sendDashboardFile, showDashboard } from './pages/dashboard.ts'
import { signInLocally } from './pages/local-sign-in.ts'
import { showResetPassword, submitResetPassword } from './pages/reset-password.ts'
import { leave } from './pages/sign-out.ts'
import { showSignIn, submitSignIn } from './pages/sign-in.ts'
import { showSignUp, submitSignUp } from './pages/sign-up.ts'
import { askForOwnVerification } from './pages/verification.ts'
import { showVerifyEmail, submitVerifyEmail } from './pages/verify-email.ts'
import { requireOwnEmail, requireScope } from './base/permissions.ts'
import { takeTurn, takeTurnFor } from './http/take-turn.ts'
import { listProjects } from './projects/routes.ts'
import { showProject, showRunStatus, streamRun, triggerFromCi } from './test-runs/routes.ts'
import {
  revokeAllOtherSessions,
  revokeOneSession,
  showCurrentSession,
  showSessions,
  signOut,
} from './identity/sessions/routes.ts'
import { receiveSnapshot } from './snapshots/routes.ts'
import { showMeasurement, startMeasurement } from './strength/routes.ts'
import { showConfirmation, startConfirmation } from './confirmations/routes.ts'
import {
  askForQuarantine,
  grantOneQuarantine,
  listProjectQuarantines,
  releaseOneQuarantine,
} from './quarantine/routes.ts'
import {
  changeTestPolicy,
  listProjectTests,
  mergeTest,
  previewTestPolicy,
  planShardsOfFiles,
  showShards,
  showTest,
  showTestPolicy,
  showTestSpeed,
} from './tests/routes.ts'
import { uploadResults } from './test-runs/upload-routes.ts'
import { poolOfWork, workOf } from './work.ts'

type Method = 'GET' | 'POST'

/** Routes that are exempt from the limits. They need neither the database nor a caller, and answer from memory. */
const exemptRoutes: [Method, string, StaticRoute][] = [
  ['GET', '/health', showHealth],
  ['GET', '/assets/:name', sendDashboardFile],
]

/** The documentation of this server. It needs no credential, and counts against the limits of the address. */
const documentationRoutes: [Method, string, StaticRoute][] = [
  ['GET', '/api/openapi.json', showDocument(restRoutes)],
  ['GET', '/docs', referencePage],
  ...referenceFiles.map(({ path, answer }): [Method, string, StaticRoute] => ['GET', path, () => answer]),
]

/** REST routes that need no credential. */
const publicRoutes: [Method, string, RestHandler][] = [
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

/** Receivers of other services, which sign their deliveries. */
const deliveryRoutes: [Method, string, RestHandler][] = [
  ['POST', '/api/webhooks/code-host-app', receiveForApp],
  ['POST', '/api/webhooks/code-host/:projectId', receiveForProject],
  ['POST', '/api/webhooks/billing', receiveBillingEvent],
  ['POST', '/webhooks/code_host', receiveForAll],
]

/** REST routes for a session or a token; `scopes.ts` names the scope that a token needs. */
const callerRoutes: [Method, string, RestHandler][] = [
  ['POST', '/api/auth/link-social', linkCodeHost],
  ['GET', '/api/auth/list-sessions', showSessions],
  ['POST', '/api/auth/revoke-session', revokeOneSession],
  ['POST', '/api/auth/revoke-other-sessions', revokeAllOtherSessions],
  ['POST', '/api/auth/change-password', changeOwnPassword],
  ['GET', '/api/v1/projects', listProjects],
  ['GET', '/api/v1/projects/:id', showProject],
  ['POST', '/api/v1/projects/:id/analyze', analyzeProject],
  ['POST', '/api/v1/projects/:id/snapshots', receiveSnapshot],
  ['POST', '/api/v1/projects/:id/strength', startMeasurement],
  ['GET', '/api/v1/strength/:id', showMeasurement],
  ['GET', '/api/v1/projects/:id/tests', listProjectTests],
  ['GET', '/api/v1/projects/:id/test-speed', showTestSpeed],
  ['GET', '/api/v1/projects/:id/shards', showShards],
  ['POST', '/api/v1/projects/:id/shards', planShardsOfFiles],
  ['GET', '/api/v1/projects/:id/tests/:testId', showTest],
  ['POST', '/api/v1/projects/:id/tests/:testId/merge', mergeTest],
  ['POST', '/api/v1/projects/:id/tests/:testId/confirmations', startConfirmation],
  ['GET', '/api/v1/confirmations/:id', showConfirmation],
  ['GET', '/api/v1/projects/:id/test-policy', showTestPolicy],
  ['POST', '/api/v1/projects/:id/test-policy', changeTestPolicy],
  ['POST', '/api/v1/projects/:id/test-policy/preview', previewTestPolicy],
  ['GET', '/api/v1/projects/:id/quarantines', listProjectQuarantines],
  ['POST', '/api/v1/projects/:id/quarantines', askForQuarantine],
  ['POST', '/api/v1/quarantines/:id/grant', grantOneQuarantine],
  ['POST', '/api/v1/quarantines/:id/release', releaseOneQuarantine],
  ['POST', '/api/ci/trigger/:projectId', triggerFromCi],
  ['POST', '/api/ci/upload/:projectId', uploadResults],
  ['GET', '/api/test-runs/:runId/status', showRunStatus],
  ['GET', '/api/test-runs/:runId/events', streamRun],
  ['GET', '/files/:projectId/:runId/*name', downloadFile],
]

/** Pages and the targets of their forms: for browsers, with or without a session. */
const pageRoutes: [Method, string, Route][] = [
  ...dashboardPaths.map((path): [Method, string, Route] => ['GET', path, showDashboard]),
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
]

/** Addresses that carry a signature of this server and work without a credential. */
const linkRoutes: [Method, string, Route][] = [['GET', '/view/:token/*path', viewFile]]

/** Lists every REST route for the OpenAPI document. */
export function restRoutes(): RestRoute[] {
  const withAccess = (rows: [Method, string, { contract?: Contract }][], access: RestRoute['access']) =>
    rows.flatMap(([method, path, { contract }]) => (contract ? [{ method, path, contract, access }] : []))
  return [
    ...withAccess(callerRoutes, 'caller'),
    ...withAccess(publicRoutes, 'public'),
    ...withAccess(deliveryRoutes, 'public'),
    ...withAccess(exemptRoutes, 'exempt'),
    ...withAccess(documentationRoutes, 'documentation'),
  ]
}

export function createRouter(
  createContext: CreateContext,
  anonymousContext: AnonymousContext,
  admit: Admit,
): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const [method, path, route] of exemptRoutes) {
    router.register(path, [method], (koa) => {
      koa.state.isCounted = true
      answer(koa, route(koa))
    })
  }
  for (const [method, path, route] of documentationRoutes) {
    router.register(path, [method], (koa) => answer(koa, route(koa)))
  }
  for (const [method, path, route] of publicRoutes) {
    router.register(path, [method], async (koa) => {
      const ctx = await createContext(koa, oneCall(method), bodyLimitOf(path), 'access')
      answer(koa, await takeTurn(ctx, 'sign-in', (ctx) => route(ctx, koa)))
    })
  }
  for (const [method, path, route] of deliveryRoutes) {
    router.register(path, [method], async (koa) => {
      try {
        answer(koa, await route(anonymousContext(koa), koa))
        koa.state.isCounted = true
      } catch (error) {
        // All customers of a code host share its addresses, so another customer must not be able to use up the limit for
        // signed deliveries. Only deliveries without a valid signature count.
        if (error instanceof AppError && error.code === 'UNAUTHORIZED') {
          await createContext(koa, oneCall(method, 'webhooks'), undefined, 'access')
        }
        throw error
      }
    })
  }
  for (const [method, path, route] of linkRoutes) {
    router.register(path, [method], async (koa) => {
      const createLinkContext = async () => {
        admit()
        return anonymousContext(koa)
      }
      const routeInTurn: Route = (ctx, koa) => takeTurn(ctx, 'download', (ctx) => route(ctx, koa))
      answer(koa, await answerWithPage(createLinkContext, routeInTurn, koa))
      // Views of a link have their own limit. A refused view counts against the address.
      koa.state.isCounted = koa.status < 400
    })
  }
  for (const [method, path, route] of pageRoutes) {
    router.register(path, [method], async (koa) => {
      const createPageContext = () => createContext(koa, oneCall(method), bodyLimits.form, 'access')
      const routeInTurn: Route = (ctx, koa) => takeTurn(ctx, 'sign-in', (ctx) => route(ctx, koa))
      answer(koa, await answerWithPage(createPageContext, routeInTurn, koa))
    })
  }
  for (const [method, path, route] of callerRoutes) {
    router.register(path, [method], async (koa) => {
      const entryPoint = `${method} ${path}`
      const pool = poolOfWork[workOf[entryPoint] ?? 'ordinary']
      // A route that reads a stream says itself which type of body it expects.
      const limit = route.contract.bytes || route.contract.form ? undefined : bodyLimitOf(path)
      const ctx = await createContext(koa, oneCall(method), limit, pool)
      requireScope(ctx, entryPoint)
      requireOwnEmail(ctx, koa.query['userEmail'] ?? koa.query['userEmail[]'])
      answer(koa, await takeTurnFor(ctx, entryPoint, (ctx) => route(ctx, koa)))
    })
  }
  return router
}

/** The signature of a delivery covers its raw bytes, so its route reads the body. Sign-in needs only small bodies. */
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
    throw new AppError('METHOD_NOT_ALLOWED', `${koa.path} allows only ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') },
    })
  }
}

function answer(koa: Koa.ParameterizedContext<RequestState>, { status, body, headers }: Answer): void {
  koa.status = status
  if (body !== undefined) koa.body = body
  if (headers) koa.set(headers)
}
