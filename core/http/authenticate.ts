import type Koa from 'koa'
import type { AuditContext } from '../audit/record.ts'
import type { Actor } from '../context.ts'
import type { AppError } from '../errors.ts'
import { readCookie, sessionCookie, setSessionCookie } from '../sessions/cookie.ts'
import { resumeSession } from '../sessions/resume.ts'
import { authenticateToken } from '../tokens/authenticate.ts'
import { tokenPrefix } from '../tokens/token-format.ts'
import { requireTrustedOrigin } from './origin.ts'

export interface Authenticated {
  actor: Actor | null
  sessionProblem?: AppError | undefined
}

/**
 * Who is calling; null when no good credential of ours came along. A bearer token of ours decides alone: a cookie
 * beside it is not looked at. Refreshing a session may set its cookie; a session that is not good never clears it.
 *
 * @throws AppError 401 for a bearer token of ours that is not good; 403 for a cookie call that a foreign page made
 */
export async function authenticate(ctx: AuditContext, koa: Koa.ParameterizedContext): Promise<Authenticated> {
  const bearer = /^Bearer +(.*)$/i.exec(koa.req.headers.authorization ?? '')?.[1]?.trim()
  if (bearer?.startsWith(tokenPrefix)) return { actor: await authenticateToken(ctx.db, bearer, ctx.now()) }

  const [token, ...more] = new Set(readCookie(koa.req.headers.cookie, sessionCookie))
  // Two different ones: a neighbour on the same domain has set one of them, and nobody can tell which.
  if (token === undefined || token === '' || more.length > 0) return { actor: null }
  requireTrustedOrigin(koa.req, ctx.config)
  const resumed = await resumeSession(ctx, token)
  if (resumed.actor === null) return { actor: null, sessionProblem: resumed.problem }
  if (resumed.successor !== undefined) setSessionCookie(koa, ctx.config, resumed.successor)
  return { actor: resumed.actor }
}
