import { z } from 'zod'
import { restHandler } from '../../http/handler.ts'
import { getCurrentSession } from './get.ts'
import { listSessions } from './list.ts'
import { invalidateSession, revokeOtherSessions, revokeSession } from './revoke.ts'
import { CurrentSession, Done, NoSession, RevokeSessionBody, Session } from './schema.ts'

export const showCurrentSession = restHandler(
  {
    name: 'getSession',
    summary: 'Returns the current session and its user',
    answers: { 200: CurrentSession, 401: NoSession },
    session: 'optional',
  },
  async (ctx) => {
    const current = getCurrentSession(ctx)
    return current ? { status: 200, body: current } : { status: 401, body: { session: null, user: null } }
  },
)

export const showSessions = restHandler(
  {
    name: 'listSessions',
    summary: 'Lists the sessions of the user',
    answers: { 200: z.object({ sessions: z.array(Session) }) },
  },
  async (ctx) => ({ status: 200, body: { sessions: await listSessions(ctx) } }),
)

export const revokeOneSession = restHandler(
  {
    name: 'revokeSession',
    summary: "Ends one of the user's sessions",
    body: RevokeSessionBody,
    answers: { 200: Done },
    errors: ['NOT_FOUND'],
  },
  async (ctx, { body }) => ({ status: 200, body: await revokeSession(ctx, { sessionToken: body.token }) }),
)

export const revokeAllOtherSessions = restHandler(
  {
    name: 'revokeOtherSessions',
    summary: 'Ends every session except the current one',
    description: 'A call with an API token ends every session.',
    answers: { 200: Done },
  },
  async (ctx) => ({ status: 200, body: await revokeOtherSessions(ctx) }),
)

/** Succeeds without a session too, and then only clears the cookie. */
export const signOut = restHandler(
  {
    name: 'signOut',
    summary: 'Ends the session and clears the cookie',
    answers: { 200: Done },
    session: 'optional',
  },
  async (ctx) => {
    if (ctx.actor?.kind === 'user') return { status: 200, body: await invalidateSession(ctx) }
    ctx.forgetSession()
    return { status: 200, body: { success: true } }
  },
)
