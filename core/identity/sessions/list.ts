import { IsNull, MoreThan } from 'typeorm'
import { type Context, requireUnconfined } from '../../base/context.ts'
import { SessionEntity } from './entity.ts'
import { presentSession } from './present.ts'
import type { Session } from './schema.ts'

/** Lists the user's valid sessions, newest first. */
export async function listSessions(ctx: Context): Promise<Session[]> {
  const caller = requireUnconfined(ctx, 'list sessions')
  const now = ctx.now()
  const { idleMs } = ctx.config.sessions
  const rows = await ctx.db.getRepository(SessionEntity).find({
    where: {
      userId: caller.userId,
      revokedAt: IsNull(),
      expiresAt: MoreThan(now),
      ...(idleMs > 0 ? { activeAt: MoreThan(new Date(now.getTime() - idleMs)) } : {}),
    },
    order: { id: 'DESC' },
  })
  return rows.map((row) => presentSession(row, caller.kind === 'user' ? caller.sessionId : undefined))
}
