import type { Context } from '../../base/context.ts'
import { newId } from '../../base/ids.ts'
import { storableJson } from '../../base/storable-json.ts'
import { afterCommit } from './after-commit.ts'
import { auditHash, firstLink } from './chain.ts'
import type { AuditLogRow } from './entity.ts'
import type { AuditAction } from './schema.ts'

/** Held while a row is appended, so that each row has one predecessor. The number is "audt" in ASCII. */
const appendLock = 0x61756474

export type AuditContext = Pick<Context, 'db' | 'config' | 'log' | 'now' | 'client'>

/**
 * Appends a row to the audit log in the caller's transaction, so that the row and the recorded change commit together.
 * Call it last, because other appends wait until that transaction ends.
 *
 * @param userId - the user who acted; for a failed attempt, the target account; null if neither is known
 * @param metadata - ids, names and reasons, never a secret
 */
export async function recordAudit(
  ctx: AuditContext,
  action: AuditAction,
  userId: string | null,
  metadata: Record<string, unknown> | null = null,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [appendLock])
    const [last] = await tx.query<{ sequence: string; hash: string }[]>(
      'SELECT sequence, hash FROM audit_logs ORDER BY sequence DESC LIMIT 1',
    )
    const createdAt = ctx.now()
    const row: Omit<AuditLogRow, 'hash'> = {
      sequence: String(BigInt(last?.sequence ?? 0) + 1n),
      id: newId(createdAt),
      userId,
      action,
      ipAddress: ctx.client.ipAddress,
      userAgent: ctx.client.userAgent,
      metadata: metadata && asStored(metadata),
      createdAt,
    }
    const hash = auditHash(ctx.config.secretKey, last?.hash ?? firstLink, row)
    await tx.query(
      `INSERT INTO audit_logs (sequence, id, user_id, action, ip_address, user_agent, metadata, created_at, hash)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [row.sequence, row.id, userId, action, row.ipAddress, row.userAgent, row.metadata, createdAt, hash],
    )
    // The log line is outside the database, so that deleting the last rows is detectable. A rolled-back row must not
    // appear there.
    afterCommit(tx, () => ctx.log.info({ audit: { sequence: row.sequence, action, hash } }, 'audit'))
  })
}

/** Metadata that lets the affected user read the row, without the actor's address and user agent. */
export function affected(userId: string | null): { affectedUserId?: string } {
  return userId === null ? {} : { affectedUserId: userId }
}

/**
 * Returns the metadata as Postgres will return it, because the hash covers that form. Text that Postgres rejects must
 * not prevent the row.
 */
function asStored(metadata: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(storableJson(metadata))
}
