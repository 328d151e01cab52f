import type { EntityManager } from 'typeorm'
import type { TokenActor } from '../context.ts'
import { sha256 } from '../crypto.ts'
import { unauthorized } from '../errors.ts'
import type { Scope } from './schema.ts'
import { isWellFormedToken } from './token-format.ts'

interface Found {
  id: string
  user_id: string
  scopes: Scope[]
  organization_id: string | null
  project_id: string | null
  expires_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
  email: string
  name: string
}

const lastUseInterval = 60_000

/**
 * The actor behind a plain token. Last use is noted at most once a minute, so that reading stays reading.
 *
 * @throws AppError 401 for every way in which a token can be bad, always in the same words
 */
export async function authenticateToken(db: EntityManager, plainToken: string, now: Date): Promise<TokenActor> {
  if (!isWellFormedToken(plainToken)) throw invalidToken()
  const [found] = await db.query<Found[]>(
    `SELECT t.id, t.user_id, t.scopes, t.organization_id, t.project_id, t.expires_at, t.revoked_at, t.last_used_at,
            u.email, u.name
       FROM api_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.token_hash = $1`,
    [sha256(plainToken)],
  )
  if (!found || found.revoked_at || found.expires_at <= now) throw invalidToken()
  if (!found.last_used_at || now.getTime() - found.last_used_at.getTime() >= lastUseInterval) {
    await db.query(
      `UPDATE api_tokens SET last_used_at = $2
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $2::timestamptz - interval '1 minute')`,
      [found.id, now],
    )
  }
  return {
    kind: 'token',
    userId: found.user_id,
    email: found.email,
    name: found.name,
    tokenId: found.id,
    scopes: found.scopes,
    expiresAt: found.expires_at,
    organizationId: found.organization_id,
    projectId: found.project_id,
  }
}

const invalidToken = () =>
  unauthorized('The token is unknown, expired or revoked. Create a new one with tokens.create.', {
    title: 'Invalid token',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
