import type { EntityManager } from 'typeorm'
import { randomSecret, sha256 } from '../../base/crypto.ts'

export type Purpose = 'verify_email' | 'reset_password' | 'local_sign_in'

const lifetimeMs: Record<Purpose, number> = {
  verify_email: 24 * 3_600_000,
  reset_password: 3_600_000,
  local_sign_in: 600_000,
}

/** Creates a token that works once, for this purpose and user. Stores only its hash. */
export async function issueOneTimeToken(
  db: EntityManager,
  purpose: Purpose,
  userId: string,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomSecret()
  const expiresAt = new Date(now.getTime() + lifetimeMs[purpose])
  await db.query('INSERT INTO one_time_tokens (token_hash, purpose, user_id, expires_at) VALUES ($1, $2, $3, $4)', [
    sha256(token),
    purpose,
    userId,
    expiresAt,
  ])
  return { token, expiresAt }
}

/**
 * Returns the user of a token and deletes the token in one statement, so that it works once. Returns undefined if the
 * token is unknown, expired or used.
 */
export async function redeemOneTimeToken(
  db: EntityManager,
  purpose: Purpose,
  token: string,
  now: Date,
): Promise<string | undefined> {
  const [rows] = await db.query<[{ user_id: string }[], number]>(
    'DELETE FROM one_time_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3 RETURNING user_id',
    [sha256(token), purpose, now],
  )
  return rows[0]?.user_id
}

/** Returns the user of a valid token without redeeming it: mail scanners open every link. */
export async function findOneTimeToken(
  db: EntityManager,
  purpose: Purpose,
  token: string,
  now: Date,
): Promise<string | undefined> {
  const [found] = await db.query<{ user_id: string }[]>(
    'SELECT user_id FROM one_time_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3',
    [sha256(token), purpose, now],
  )
  return found?.user_id
}

/** Deletes all tokens of a user for one purpose. */
export async function endOneTimeTokens(db: EntityManager, purpose: Purpose, userId: string): Promise<void> {
  await db.query('DELETE FROM one_time_tokens WHERE purpose = $1 AND user_id = $2', [purpose, userId])
}
