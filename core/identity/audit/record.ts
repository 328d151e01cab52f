import type { Context } from '../../base/context.ts'
import { newId } from '../../base/ids.ts'
import { queryPrepared } from '../../base/prepared.ts'
import { storableJson } from '../../base/storable-json.ts'
import { afterCommit } from './after-commit.ts'
import { auditSignature } from './chain.ts'
import type { RecordedRow } from './entity.ts'
import type { AuditAction } from './schema.ts'

export type AuditContext = Pick<Context, 'db' | 'config' | 'now' | 'client' | 'log' | 'auditChain'>

const insertRow = {
  name: 'record-audit',
  text: `INSERT INTO unchained_audit_logs
           (id, user_id, action, ip_address, user_agent, metadata, created_at, signature)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
}

/**
 * Adds a row to the audit log in the caller's transaction, so that the row and the recorded change commit together. The
 * commit returns when the row is in the chain; if chaining is delayed, it returns earlier. Without a transaction, that
 * applies to this call.
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
  const createdAt = ctx.now()
  const row: RecordedRow = {
    id: newId(createdAt),
    userId,
    action,
    ipAddress: ctx.client.ipAddress,
    userAgent: ctx.client.userAgent,
    metadata: metadata && asStored(metadata),
    createdAt,
  }
  const signature = auditSignature(ctx.config.secretKey, row)
  const { id, ipAddress, userAgent } = row
  await queryPrepared(ctx.db, insertRow, [id, userId, action, ipAddress, userAgent, row.metadata, createdAt, signature])
  const chain = () => ctx.auditChain.include(id)
  if (ctx.db.queryRunner?.isTransactionActive) afterCommit(ctx.db, chain)
  else await chain()
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
