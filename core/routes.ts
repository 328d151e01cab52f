import Router from '@koa/router'
import type Koa from 'koa'
import { analyzeProject } from './analysis/routes.ts'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'
import type { RequestState } from './http/request.ts'
import { requireOwnEmail, requireScope } from './permissions.ts'
import { listProjects, showProject } from './projects/routes.ts'
import {
  revokeAllOtherSessions,
  revokeOneSession,
  showCurrentSession,
  showSessions,
  signOut,
} from './sessions/routes.ts'

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

/** Every REST method and path that needs no credential. */
const openRoutes: [Method, string, Route][] = [
  ['GET', '/health', async () => ({ status: 200, body: { ok: true } })],
  ['GET', '/api/auth/get-session', showCurrentSession],
  ['POST', '/api/auth/sign-out', signOut],
]

/** Every other one, by session or token; `scopes.ts` names the scope that a token needs. */
const callerRoutes: [Method, string, Route][] = [
  ['GET', '/api/auth/list-sessions', showSessions],
  ['POST', '/api/auth/revoke-session', revokeOneSession],
  ['POST', '/api/auth/revoke-other-sessions', revokeAllOtherSessions],
  ['GET', '/api/v1/projects', listProjects],
  ['GET', '/api/v1/projects/:id', showProject],
  ['POST', '/api/v1/projects/:id/analyze', analyzeProject],
]

export function createRouter(
  createContext: (koa: Koa.ParameterizedContext<RequestState>) => Promise<Context>,
): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true })
  for (const [method, path, route] of openRoutes) {
    router.register(path, [method], async (koa) => {
      answer(koa, await route(await createContext(koa), koa))
    })
  }
  for (const [method, path, route] of callerRoutes) {
    router.register(path, [method], async (koa) => {
      const ctx = await createContext(koa)
      requireScope(ctx, `${method} ${path}`)
      requireOwnEmail(ctx, koa.query['userEmail'] ?? koa.query['userEmail[]'])
      answer(koa, await route(ctx, koa))
    })
  }
  return router
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
