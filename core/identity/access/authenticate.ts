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
import type { RequestState } from '../../http/request-state.ts'

export interface Authenticated {
  actor: Actor | null
  sessionProblem?: AppError | undefined
}

/** Returns the request's bearer token if it has the form of an Assay token, valid or not. */
export function bearerToken(req: IncomingMessage): string | undefined {
  const bearer = /^Bearer +([^ ].*)$/is.exec(req.headers.authorization ?? '')?.[1]?.trim()
  return bearer?.startsWith(tokenPrefix) ? bearer : undefined
}

/**
 * Identifies the caller; the actor is null without a valid credential. If the request has an Assay token, the session
 * cookie is ignored. Refreshing a session may set its cookie; an invalid session never clears it.
 *
 * @throws AppError 401 for an invalid Assay token; 400 for an invalid `X-Svc-Project`; 403 for a call without a token
 *   from a page of an untrusted origin
 */
export async function authenticate(
  ctx: AuditContext & Pick<Context, 'guessedTokens' | 'credentials'>,
  koa: Koa.ParameterizedContext<RequestState>,
): Promise<Authenticated> {
  const bearer = bearerToken(koa.req)
  const project = koa.req.headers['x-svc-project']
  if (bearer !== undefined) return { actor: confine(await authenticateToken(ctx, bearer), project) }

  // Also without a cookie: a foreign page must not be able to sign a visitor in as another user.
  requireTrustedOrigin(koa.req, ctx.config)
  const [token, ...more] = new Set(readCookie(koa.req.headers.cookie, sessionCookie))
  if (token === undefined || token === '') return { actor: null }
  // Ignoring the header would let the client believe that the call is restricted to the project.
  if (project !== undefined) throw invalid('X-Svc-Project: requires an API token.')
  if (more.length > 0) return { actor: null, sessionProblem: severalSessions() }
  const resumed = await resumeSession(ctx, token)
  if (resumed.actor === null) return { actor: null, sessionProblem: resumed.problem }
  if (resumed.successor !== undefined) {
    koa.state.successor = resumed.successor
    setSessionCookie(koa, ctx.config, resumed.successor.token)
  }
  return { actor: resumed.actor }
}

/** Restricts one call to a project, as if its token were restricted to it. */
function confine(actor: TokenActor, projectId: string | string[] | undefined): TokenActor {
  if (projectId === undefined || projectId === actor.projectId) return actor
  if (typeof projectId !== 'string' || !/^[0-9A-Z]{26}$/.test(projectId))
    throw invalid("X-Svc-Project: must be a project's id.")
  if (actor.projectId !== null) {
    throw forbidden('The token is restricted to a different project than the one in X-Svc-Project.', {
      hint: { kind: 'other_project' },
    })
  }
  return { ...actor, projectId }
}

/** Another site on the same domain has set one of them, and the server cannot tell which one. */
function severalSessions(): AppError {
  return unauthorized(
    `The request has two different cookies named ${sessionCookie}, so neither is used. ` +
      'Delete the cookies of this site and of its parent domains, then sign in again.',
  )
}
