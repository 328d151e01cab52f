import { UserEntity } from '../users/entity.ts'
import { presentUser } from '../users/present.ts'
import type { Context } from '../../base/context.ts'
import type { CurrentSession, SessionInfo } from './schema.ts'

/** Returns the session of the call and its user, or null without a session. Needs no database call. */
export function getCurrentSession({ actor }: Context): CurrentSession | null {
  if (actor?.kind !== 'user') return null
  const { session, user } = actor
  return {
    session: {
      id: actor.sessionId,
      userId: actor.userId,
      expiresAt: session.expiresAt.toISOString(),
      createdAt: session.createdAt.toISOString(),
    },
    user: presentUser(user),
  }
}

/** Returns the caller's user, by session or token; for a call without a credential, `isAuthenticated` is false. */
export async function getSessionInfo({ actor, db }: Context): Promise<SessionInfo> {
  if (actor?.kind === 'user') return { user: presentUser(actor.user), isAuthenticated: true }
  if (actor?.kind !== 'token') return { user: null, isAuthenticated: false }
  const user = await db.getRepository(UserEntity).findOneBy({ id: actor.userId })
  return { user: user && presentUser(user), isAuthenticated: user !== null }
}
