import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { AuditContext } from '../audit/record.ts'
import type { Actor, Context, TokenActor } from '../../base/context.ts'
import { type AppError, forbidden, invalid, unauthorized } from '../../base/errors.ts'
import { readCookie, sessionCookie, setSessionCookie } from '../sessions/cookie.ts'
import { resumeSession } from '../sessions/resume.ts'
import { authenticateToken } from '../tokens/authenticate.ts'
import { tokenPrefix } from '../tokens/token-format.ts'
import { requireTrustedOrigin } from '../../http/origin.ts'
import type { RequestState } from '../../http/request.ts'

export interface Authenticated {
  actor: Actor | null
  sessionProblem?: AppError | undefined
}

/** The bearer token of ours that came along, good or not; others' are none. */
export function bearerToken(req: IncomingMessage): string | undefined {
  const bearer = /^Bearer +(.*)$/i.exec(req.headers.authorization ?? '')?.[1]?.trim()
  return bearer?.startsWith(tokenPrefix) ? bearer : undefined
}

/**
 * Who is calling; null when no good credential of ours came along. A bearer token of ours decides alone: a cookie
 * beside it is not looked at. Refreshing a session may set its cookie; a session that is not good never clears it.
 *
 * @throws AppError 401 for a bearer token of ours that is not good; 400 for a project that the call cannot be confined to; 403 for a call without one that a foreign page made
 */
export async function authenticate(
  ctx: AuditContext & Pick<Context, 'guessedTokens'>,
  koa: Koa.ParameterizedContext<RequestState>,
): Promise<Authenticated> {
  const bearer = bearerToken(koa.req)
  const project = koa.req.headers['x-svc-project']
  if (bearer !== undefined) return { actor: confine(await authenticateToken(ctx, bearer), project) }

  // With or without a cookie: a foreign page must not sign a visitor in as somebody else either.
  requireTrustedOrigin(koa.req, ctx.config)
  const [token, ...more] = new Set(readCookie(koa.req.headers.cookie, sessionCookie))
  if (token === undefined || token === '') return { actor: null }
  // A limit that is not kept must not look as if it were.
  if (project !== undefined) throw invalid('X-Svc-Project: is for calls with an API token.')
  if (more.length > 0) return { actor: null, sessionProblem: severalSessions() }
  const resumed = await resumeSession(ctx, token)
  if (resumed.actor === null) return { actor: null, sessionProblem: resumed.problem }
  if (resumed.successor !== undefined) {
    koa.state.successor = resumed.successor
    setSessionCookie(koa, ctx.config, resumed.successor.token)
  }
  return { actor: resumed.actor }
}

/** A client may confine what it does to one project for a call, as if its token were confined to it. */
function confine(actor: TokenActor, projectId: string | string[] | undefined): TokenActor {
  if (projectId === undefined || projectId === actor.projectId) return actor
  if (typeof projectId !== 'string' || !/^[0-9A-Z]{26}$/.test(projectId))
    throw invalid("X-Svc-Project: must be a project's id.")
  if (actor.projectId !== null) {
    throw forbidden('The token is confined to another project than X-Svc-Project names.', {
      hint: { kind: 'other_project' },
    })
  }
  return { ...actor, projectId }
}

/** A neighbour on the same domain has set one of them, and nobody can tell which. */
function severalSessions(): AppError {
  return unauthorized(
    `Two different cookies named ${sessionCookie} came along, so neither is used. ` +
      'Delete the cookies of this address and of the domains above it, then sign in again.',
  )
}
