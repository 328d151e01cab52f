import type { EntityManager } from 'typeorm'
import { newId } from '../../base/ids.ts'
import { sha256 } from '../../base/crypto.ts'
import { TokenEntity, type TokenRow } from './entity.ts'
import { newToken } from './token-format.ts'

type NewToken = Pick<TokenRow, 'userId' | 'name' | 'scopes' | 'projectId' | 'expiresAt' | 'createdAt'> &
  Partial<Pick<TokenRow, 'organizationId'>>

/** Creates a token and stores its hash. Checks no permission. */
export async function insertToken(db: EntityManager, fields: NewToken): Promise<{ row: TokenRow; plainToken: string }> {
  const plainToken = newToken()
  const row: TokenRow = {
    organizationId: null,
    ...fields,
    id: newId(fields.createdAt),
    tokenHash: sha256(plainToken),
    lastFour: plainToken.slice(-4),
    lastUsedAt: null,
    revokedAt: null,
  }
  await db.getRepository(TokenEntity).insert(row)
  return { row, plainToken }
}
