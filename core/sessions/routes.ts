import { readJson } from '../http/body.ts'
import type { Route } from '../routes.ts'
import { getCurrentSession } from './get.ts'
import { listSessions } from './list.ts'
import { invalidateSession, revokeOtherSessions, revokeSession } from './revoke.ts'
import { RevokeSessionBody } from './schema.ts'

export const showCurrentSession: Route = async (ctx) => {
  const current = getCurrentSession(ctx)
  return current ? { status: 200, body: current } : { status: 401, body: { session: null, user: null } }
}

export const showSessions: Route = async (ctx) => ({ status: 200, body: { sessions: await listSessions(ctx) } })

export const revokeOneSession: Route = async (ctx, koa) => {
  const { token } = await readJson(koa, RevokeSessionBody)
  return { status: 200, body: await revokeSession(ctx, { sessionToken: token }) }
}

export const revokeAllOtherSessions: Route = async (ctx) => ({ status: 200, body: await revokeOtherSessions(ctx) })

/** Whoever wants out gets out: without a session, or with one that is over, there is only the cookie to clear. */
export const signOut: Route = async (ctx) => {
  if (ctx.actor?.kind === 'user') return { status: 200, body: await invalidateSession(ctx) }
  ctx.forgetSession()
  return { status: 200, body: { success: true } }
}
