import { type AuditContext, recordAudit } from '../audit/record.ts'
import type { Services, TokenActor } from '../../base/context.ts'
import { sha256 } from '../../base/crypto.ts'
import { procedureHint, unauthorized } from '../../base/errors.ts'
import type { FoundToken } from './find.ts'
import { isWellFormedToken } from './token-format.ts'

const noteInterval = 60_000

/**
 * Returns the actor of a plain token. Writes the last use at most once a minute, because most calls only read. The use
 * of a revoked or expired token is recorded in the audit log, also at most once a minute.
 *
 * @throws AppError 401, with the same message for every kind of invalid token
 */
export async function authenticateToken(
  ctx: AuditContext & Pick<Services, 'guessedTokens' | 'credentials'>,
  plainToken: string,
): Promise<TokenActor> {
  const now = ctx.now()
  const found = isWellFormedToken(plainToken) ? await ctx.credentials.token(sha256(plainToken)) : undefined
  if (!found) {
    ctx.guessedTokens.add(ctx.client)
    throw invalidToken()
  }
  const reason = whyRefused(found, now)
  if (reason !== undefined) {
    await recordRefusal(ctx, found, reason, now)
    throw invalidToken()
  }
  if (isDue(found.last_used_at, now)) {
    await ctx.db.query(
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

export function whyRefused(
  { revoked_at, expires_at }: Pick<FoundToken, 'revoked_at' | 'expires_at'>,
  now: Date,
): 'revoked' | 'expired' | undefined {
  if (revoked_at) return 'revoked'
  return expires_at <= now ? 'expired' : undefined
}

async function recordRefusal(ctx: AuditContext, token: FoundToken, reason: string, now: Date): Promise<void> {
  if (!isDue(token.refused_at, now)) return
  await ctx.db.transaction(async (db) => {
    const [, affected] = await db.query<[unknown, number]>(
      `UPDATE api_tokens SET refused_at = $2
        WHERE id = $1 AND (refused_at IS NULL OR refused_at <= $2::timestamptz - interval '1 minute')`,
      [token.id, now],
    )
    // Of parallel requests, only one records it.
    if (affected === 0) return
    await recordAudit({ ...ctx, db }, 'failed_auth', token.user_id, { method: 'token', tokenId: token.id, reason })
  })
}

function isDue(lastNoted: Date | null, now: Date): boolean {
  return !lastNoted || now.getTime() - lastNoted.getTime() >= noteInterval
}

const invalidToken = () =>
  unauthorized('The token is unknown, expired or revoked. Create a new one with tokens.create.', {
    ...procedureHint('tokens.create'),
    title: 'Invalid token',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
