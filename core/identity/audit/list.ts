import { type Context, requireUnconfined } from '../../base/context.ts'
import { invalidField } from '../../base/errors.ts'
import type { RecordedRow } from './entity.ts'
import type { AuditLog, ListAuditLogs } from './schema.ts'

interface VisibleRow extends RecordedRow {
  showsClient: boolean
  userName: string | null
  userEmail: string | null
}

/**
 * Lists the audit rows that the caller may read, newest first: what the caller did, what others did that affects the
 * caller, and every row of the organizations that the caller owns or administers.
 */
export async function listAuditLogs(ctx: Context, input: ListAuditLogs): Promise<AuditLog[]> {
  const { userId } = requireUnconfined(ctx, 'read the audit log of the account')
  if (input.before !== undefined) await checkReadable(ctx, userId, input.before)
  const rows = await ctx.db.query<VisibleRow[]>(visibleRows, [
    userId,
    input.limit,
    input.offset,
    input.before ?? null,
    input.actions ?? null,
    input.organizationId ?? null,
    input.userId ?? null,
    input.since ?? null,
    input.until ?? null,
  ])
  return rows.map(({ showsClient, ipAddress, userAgent, createdAt, ...row }) => ({
    ...row,
    ipAddress: showsClient ? ipAddress : null,
    userAgent: showsClient ? userAgent : null,
    createdAt: createdAt.toISOString(),
  }))
}

async function checkReadable({ db }: Pick<Context, 'db'>, userId: string, id: string): Promise<void> {
  const [row] = await db.query<object[]>(
    `WITH ${administered}
     SELECT 1 FROM ${log}
      WHERE id = $2 AND (user_id = $1 OR metadata ->> 'affectedUserId' = $1
                         OR metadata ->> 'organizationId' IN (SELECT organization_id FROM administered))`,
    [userId, id],
  )
  if (!row)
    throw invalidField('before', 'is not the id of a row that you can read. Use the id of the last row of a page.')
}

// Rows that are not chained are newer than all others. They keep their order when they get their numbers.
const firstUnchained = '4611686018427387904::bigint'

const log = `(
    SELECT sequence, id, user_id, action, metadata, created_at FROM audit_logs
     UNION ALL
    SELECT ${firstUnchained} + position, id, user_id, action, metadata, created_at FROM unchained_audit_logs
  ) AS log`

const administered = `administered AS (
    SELECT organization_id FROM memberships WHERE user_id = $1 AND role IN ('admin', 'owner')
  )`

const filter = `
        AND ($4::text IS NULL OR sequence < (SELECT sequence FROM ${log} WHERE id = $4))
        AND ($5::text[] IS NULL OR action = ANY ($5))
        AND ($6::text IS NULL OR metadata ->> 'organizationId' = $6)
        AND ($7::text IS NULL OR user_id = $7)
        AND ($8::timestamptz IS NULL OR created_at >= $8)
        AND ($9::timestamptz IS NULL OR created_at < $9)
      ORDER BY sequence DESC LIMIT $2::bigint + $3::bigint`

// Each of the three branches uses an index. Only the actor and administrators see the actor's address and user agent.
// One statement finds the row of `before` and the page, because the row gets another position when it is chained.
const visibleRows = `
  WITH ${administered}, visible AS (
    (SELECT sequence, true AS shows_client FROM ${log} WHERE user_id = $1 ${filter})
     UNION ALL
    (SELECT sequence, false FROM ${log}
      WHERE metadata ? 'affectedUserId' AND metadata ->> 'affectedUserId' = $1 ${filter})
     UNION ALL
    (SELECT sequence, true FROM ${log}
      WHERE metadata ? 'organizationId' AND metadata ->> 'organizationId' IN (SELECT organization_id FROM administered)
            ${filter})
  ), positions AS (
    SELECT sequence, bool_or(shows_client) AS shows_client FROM visible
     GROUP BY sequence ORDER BY sequence DESC LIMIT $2 OFFSET $3
  ), page AS (
    SELECT sequence, id, user_id, action, ip_address, user_agent, metadata, created_at, shows_client
      FROM positions JOIN audit_logs USING (sequence)
     UNION ALL
    SELECT sequence, id, user_id, action, ip_address, user_agent, metadata, created_at, shows_client
      FROM positions JOIN unchained_audit_logs ON position = sequence - ${firstUnchained}
  )
  SELECT page.id, user_id AS "userId", actor.name AS "userName", actor.email AS "userEmail", action,
         ip_address AS "ipAddress", user_agent AS "userAgent", metadata, page.created_at AS "createdAt",
         shows_client AS "showsClient"
    FROM page
    LEFT JOIN users AS actor ON actor.id = page.user_id
         AND (shows_client OR EXISTS (
           SELECT FROM memberships AS own JOIN memberships AS theirs USING (organization_id)
            WHERE own.user_id = $1 AND theirs.user_id = page.user_id))
   ORDER BY sequence DESC`
