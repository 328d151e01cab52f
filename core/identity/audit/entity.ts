import { EntitySchema } from 'typeorm'
import { type Columns, id, optionalJson, optionalText, text, time } from '../../base/columns.ts'
import type { AuditAction } from './schema.ts'

export interface AuditLogRow {
  /** Starts at 1, without gaps. The driver returns a Postgres bigint as text. */
  sequence: string
  id: string
  userId: string | null
  action: AuditAction
  ipAddress: string | null
  userAgent: string | null
  metadata: Record<string, unknown> | null
  createdAt: Date
  /** HMAC over this row and the hash of the previous row. */
  hash: string
}

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
