import { type AuditContext, recordAudit } from '../audit/record.ts'
import { sha256 } from '../../base/crypto.ts'
import { newId } from '../../base/ids.ts'
import { SessionEntity, type SessionRow } from './entity.ts'
import { sessionToken } from './session-token.ts'

export const lifetimeMs = 7 * 86_400_000

/** Beyond this, the least recently used sessions of a user end. */
const maxSessions = 50

export interface StartedSession {
  session: SessionRow
  /** Only for the cookie. */
  token: string
}

/**
 * Starts a new session, even if the browser already has one, and records `login` in the audit log.
 *
 * @param method - how the user signed in
 */
export async function startSession(
  ctx: AuditContext,
  userId: string,
  method: 'password' | 'code_host' | 'local_link',
): Promise<StartedSession> {
  const now = ctx.now()
  const id = newId(now)
  const token = sessionToken(ctx.config.secretKey, { sessionId: id, generation: 0 })
  const absoluteExpiresAt = new Date(now.getTime() + ctx.config.sessions.absoluteMs)
  const session: SessionRow = {
    id,
    userId,
    generation: 0,
    tokenHash: sha256(token),
    previousHash: null,
    presentedAt: null,
    issuedAt: now,
    activeAt: now,
    expiresAt: new Date(Math.min(now.getTime() + lifetimeMs, absoluteExpiresAt.getTime())),
    absoluteExpiresAt,
    revokedAt: null,
    ipAddress: ctx.client.ipAddress,
    userAgent: ctx.client.userAgent,
    createdAt: now,
  }
  await ctx.db.transaction(async (db) => {
    await db.getRepository(SessionEntity).insert(session)
    await db.query(
      `UPDATE sessions SET revoked_at = $2
        WHERE revoked_at IS NULL AND id IN (
          SELECT id FROM sessions WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
           ORDER BY active_at DESC, id DESC OFFSET ${maxSessions})`,
      [userId, now],
    )
    await recordAudit({ ...ctx, db }, 'login', userId, { method, sessionId: id })
  })
  return { session, token }
}
