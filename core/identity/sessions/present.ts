import type { SessionRow } from './entity.ts'
import type { Session } from './schema.ts'

/** Converts a session for its owner, without hashes. */
export function presentSession(row: SessionRow, currentId: string | undefined): Session {
  return {
    id: row.id,
    userId: row.userId,
    expiresAt: row.expiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    ipAddress: row.ipAddress,
    userAgent: row.userAgent,
    token: row.id,
    current: row.id === currentId,
  }
}
