import { type Context, requireUnconfined } from '../../base/context.ts'
import { AuditLogEntity } from './entity.ts'
import type { AuditLog, ListAuditLogs } from './schema.ts'

/** What happened to the caller's own account, newest first. */
export async function listAuditLogs(ctx: Context, { limit, offset }: ListAuditLogs): Promise<AuditLog[]> {
  const { userId } = requireUnconfined(ctx, 'read what happened to the account')
  const rows = await ctx.db.getRepository(AuditLogEntity).find({
    where: { userId },
    order: { sequence: 'DESC' },
    take: limit,
    skip: offset,
  })
  return rows.map(({ id, userId, action, ipAddress, userAgent, metadata, createdAt }) => ({
    id,
    userId,
    action,
    ipAddress,
    userAgent,
    metadata,
    createdAt: createdAt.toISOString(),
  }))
}
