import { sign } from '../../base/crypto.ts'
import type { AuditLogRow } from './entity.ts'

/** The previous hash of the first row. */
export const firstLink = 'first'

/** Signs every field of the row together with the hash of the previous row. */
export function auditHash(secretKey: string, previousHash: string, row: Omit<AuditLogRow, 'hash'>): string {
  const content = [
    previousHash,
    row.sequence,
    row.id,
    row.userId,
    row.action,
    row.ipAddress,
    row.userAgent,
    sortKeys(row.metadata),
    row.createdAt.toISOString(),
  ]
  return sign(secretKey, 'audit', JSON.stringify(content))
}

/** Postgres does not preserve the order of jsonb keys. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, sortKeys(inner)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
