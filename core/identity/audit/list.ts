import { type Context, requireUnconfined } from '../../base/context.ts'
import type { AuditLogRow } from './entity.ts'
import type { AuditLog, ListAuditLogs } from './schema.ts'

/**
 * Lists the audit rows that the caller may read, newest first: what the caller did, what others did that affects the
 * caller, and every row of the organizations that the caller owns or administers.
 */
export async function listAuditLogs(ctx: Context, { limit, offset }: ListAuditLogs): Promise<AuditLog[]> {
  const { userId } = requireUnconfined(ctx, 'read the audit log of the account')
  const rows = await ctx.db.query<(Omit<AuditLogRow, 'sequence' | 'hash'> & { showsClient: boolean })[]>(visibleRows, [
    userId,
    limit,
    offset,
  ])
  return rows.map(({ showsClient, ipAddress, userAgent, createdAt, ...row }) => ({
    ...row,
    ipAddress: showsClient ? ipAddress : null,
    userAgent: showsClient ? userAgent : null,
    createdAt: createdAt.toISOString(),
  }))
}

// Each of the three branches uses an index. Only the actor and administrators see the actor's address and user agent.
const visibleRows = `
  WITH administered AS (
    SELECT organization_id FROM memberships WHERE user_id = $1 AND role IN ('admin', 'owner')
  ), visible AS (
    (SELECT sequence, true AS shows_client FROM audit_logs WHERE user_id = $1
      ORDER BY sequence DESC LIMIT $2::bigint + $3::bigint)
     UNION ALL
    (SELECT sequence, false FROM audit_logs
      WHERE metadata ? 'affectedUserId' AND metadata ->> 'affectedUserId' = $1
      ORDER BY sequence DESC LIMIT $2::bigint + $3::bigint)
     UNION ALL
    (SELECT sequence, true FROM audit_logs
      WHERE metadata ? 'organizationId' AND metadata ->> 'organizationId' IN (SELECT organization_id FROM administered)
      ORDER BY sequence DESC LIMIT $2::bigint + $3::bigint)
  )
  SELECT id, user_id AS "userId", action, ip_address AS "ipAddress", user_agent AS "userAgent", metadata,
         created_at AS "createdAt", shows_client AS "showsClient"
    FROM (SELECT sequence, bool_or(shows_client) AS shows_client FROM visible GROUP BY sequence) AS v
    JOIN audit_logs USING (sequence)
   ORDER BY sequence DESC LIMIT $2 OFFSET $3`
