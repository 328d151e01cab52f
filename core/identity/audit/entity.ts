import { EntitySchema } from 'typeorm'
import { type Columns, id, optionalJson, optionalText, text, time } from '../../base/columns.ts'
import type { AuditAction } from './schema.ts'

/** What `recordAudit` records. */
export interface RecordedRow {
  id: string
  userId: string | null
  action: AuditAction
  ipAddress: string | null
  userAgent: string | null
  metadata: Record<string, unknown> | null
  createdAt: Date
}

export interface AuditLogRow extends RecordedRow {
  /** Starts at 1, without gaps. The driver returns a Postgres bigint as text. */
  sequence: string
  /** HMAC over this row and the hash of the previous row. */
  hash: string
}

/** A row of `unchained_audit_logs`, whose recorded change is committed. */
export interface UnchainedRow extends RecordedRow {
  /** In the order of recording, with gaps. */
  position: string
  /** HMAC over the recorded fields. */
  signature: string
}

/** The recorded fields in SQL, as `RecordedRow` names them. */
export const recordedFields = `id, user_id AS "userId", action, ip_address AS "ipAddress", user_agent AS "userAgent", metadata,
             created_at AS "createdAt"`

export const AuditLogEntity = new EntitySchema<AuditLogRow>({
  name: 'AuditLog',
  tableName: 'audit_logs',
  columns: {
    sequence: { ...id, type: 'bigint' },
    id: text,
    userId: { ...optionalText, name: 'user_id' },
    action: text,
    ipAddress: { ...optionalText, name: 'ip_address' },
    userAgent: { ...optionalText, name: 'user_agent' },
    metadata: optionalJson,
    createdAt: { ...time, name: 'created_at' },
    hash: text,
  } satisfies Columns<AuditLogRow>,
})
