import { sign } from '../../base/crypto.ts'
import type { AuditLogRow, RecordedRow } from './entity.ts'

/** The previous hash of the first row. */
export const firstLink = 'first'

/** Signs every field of the row together with the hash of the previous row. */
export function auditHash(secretKey: string, previousHash: string, row: Omit<AuditLogRow, 'hash'>): string {
  return sign(secretKey, 'audit', JSON.stringify([previousHash, row.sequence, ...contentOf(row)]))
}

/** Signs every field of a row that is not chained yet. The marker differs from every hash of a previous row. */
export function auditSignature(secretKey: string, row: RecordedRow): string {
  return sign(secretKey, 'audit', JSON.stringify(['unchained', ...contentOf(row)]))
}

function contentOf({ id, userId, action, ipAddress, userAgent, metadata, createdAt }: RecordedRow): unknown[] {
  return [id, userId, action, ipAddress, userAgent, sortKeys(metadata), createdAt.toISOString()]
}

/** Postgres does not preserve the order of jsonb keys. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, sortKeys(inner)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
