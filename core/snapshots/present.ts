import type { SnapshotRow } from './entity.ts'
import type { Snapshot } from './schema.ts'

/** How long a snapshot is kept after its last use. */
export const keptMs = 7 * 86_400_000

export function presentSnapshot({ withSecrets: _withSecrets, tokenId: _tokenId, ...row }: SnapshotRow): Snapshot {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt.toISOString(),
    expiresAt: new Date(row.lastUsedAt.getTime() + keptMs).toISOString(),
  }
}
