import { type EntityManager, IsNull, Not } from 'typeorm'
import { recordAudit } from '../audit/record.ts'
import { type Context, inTransaction, requireSession, requireUnconfined } from '../../base/context.ts'
import { notFound } from '../../base/errors.ts'
import { SessionEntity } from './entity.ts'
import { parseSessionToken } from './session-token.ts'
import type { Done, RevokeSession } from './schema.ts'

/** Ends one of the caller's sessions. Ending it again changes nothing. */
export async function revokeSession(ctx: Context, input: RevokeSession): Promise<Done> {
  const { userId } = requireUnconfined(ctx, 'end sessions')
  const reference = parseSessionToken(ctx.config.secretKey, input.sessionToken)
  const own = { id: reference?.sessionId ?? input.sessionToken, userId }
  return inTransaction(ctx, async (ctx) => {
    const sessions = ctx.db.getRepository(SessionEntity)
    const { affected } = await sessions.update({ ...own, revokedAt: IsNull() }, { revokedAt: ctx.now() })
    if (affected) await recordAudit(ctx, 'session_revoked', userId, { sessionId: own.id, reason: 'asked' })
    else if (!(await sessions.existsBy(own))) throw notFound('session', 'auth.listSessions lists yours.')
    return { success: true }
  })
}

/** Ends the caller's sessions except the current one; with an API token, ends all of them. */
export async function revokeOtherSessions(ctx: Context): Promise<Done> {
  const caller = requireUnconfined(ctx, 'end sessions')
  return inTransaction(ctx, async (ctx) => {
    const kept = caller.kind === 'user' ? caller.sessionId : undefined
    const count = await endSessions(ctx.db, caller.userId, ctx.now(), kept)
    if (count > 0) await recordAudit(ctx, 'session_revoked', caller.userId, { count, reason: 'asked' })
    return { success: true }
  })
}

/** Signs out: ends the current session and clears its cookie. */
export async function invalidateSession(ctx: Context): Promise<Done> {
  const { sessionId, userId } = requireSession(ctx)
  await inTransaction(ctx, async (ctx) => {
    const sessions = ctx.db.getRepository(SessionEntity)
    const { affected } = await sessions.update({ id: sessionId, revokedAt: IsNull() }, { revokedAt: ctx.now() })
    if (affected) await recordAudit(ctx, 'logout', userId, { sessionId })
  })
  ctx.forgetSession()
  return { success: true }
}

/** Ends all sessions of a user except `kept`, and returns their number. The caller records it in the audit log. */
export async function endSessions(db: EntityManager, userId: string, now: Date, kept?: string): Promise<number> {
  const where = { userId, revokedAt: IsNull(), ...(kept === undefined ? {} : { id: Not(kept) }) }
  const { affected } = await db.getRepository(SessionEntity).update(where, { revokedAt: now })
  return affected ?? 0
}
