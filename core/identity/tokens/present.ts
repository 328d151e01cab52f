import type { TokenRow } from './entity.ts'
import type { Token } from './schema.ts'

/** Converts a token for its owner, without the hash. */
export function presentToken(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    lastFour: row.lastFour,
    organizationId: row.organizationId,
    projectId: row.projectId,
    expiresAt: row.expiresAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
