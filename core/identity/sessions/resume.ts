import type { Successor } from '../../http/request-state.ts'
import { type AuditContext, recordAudit } from '../audit/record.ts'
import type { Services, UserActor } from '../../base/context.ts'
import { sha256 } from '../../base/crypto.ts'
import { type AppError, sessionExpired, unauthorized } from '../../base/errors.ts'
import type { FoundSession } from './find.ts'
import { parseSessionToken, sessionToken } from './session-token.ts'
import { lifetimeMs } from './start.ts'

/** The outcome of a session token. */
export type Resumed =
  | { actor: UserActor; /** The next token, to set as a cookie. */ successor: Successor | undefined }
  | { actor: null; problem: AppError }

/**
 * Authenticates a session token and rotates the session if that is due.
 *
 * A session is rotated at most once per interval, by compare-and-set on its generation. The previous token stays valid
 * until the client presents the current one, because the response with the current one may have been lost. After that,
 * it stays valid for the grace time, for requests that were already sent. Using it later, or using an older token, means
 * that the token was copied: the session is revoked.
 *
 * A new token is sent only in the first half of an interval, so that its response has the second half to arrive before
 * the next token is sent. Otherwise a slow response could replace a newer token with an older one in the browser, and
 * that would look like theft.
 */
export async function resumeSession(
  ctx: AuditContext & Pick<Services, 'credentials'>,
  token: string,
): Promise<Resumed> {
  const reference = parseSessionToken(ctx.config.secretKey, token)
  if (!reference) return { actor: null, problem: unauthorized('Not authenticated. Sign in again.') }
  const { sessionId, generation } = reference
  const { rotationIntervalMs, rotationGraceMs, idleMs } = ctx.config.sessions

  for (;;) {
    const found = await ctx.credentials.session(sessionId)
    const now = ctx.now()
    const since = (then: Date) => now.getTime() - then.getTime()
    if (!found) return { actor: null, problem: sessionExpired() }
    if (found.revoked_at) return { actor: null, problem: unauthorized('The session was ended. Sign in again.') }
    if (hasExpired(found, now, idleMs)) {
      return { actor: null, problem: sessionExpired() }
    }
    const renewed = renewedExpiry(found, now)
    const resumed = (expiresAt: Date, successor?: Successor): Resumed => ({
      actor: actorOf(sessionId, found, expiresAt),
      successor,
    })
    const tokenOf = (generation: number, issuedAt: Date): Successor => ({
      token: sessionToken(ctx.config.secretKey, { sessionId, generation }),
      goodUntil: rotationIntervalMs > 0 ? issuedAt.getTime() + rotationIntervalMs / 2 : Number.POSITIVE_INFINITY,
    })

    if (generation === found.generation && sha256(token) === found.token_hash) {
      // Rotating earlier would cut the grace time of the previous token short.
      const graceIsOver = since(found.presented_at ?? found.issued_at) >= rotationGraceMs
      if (since(found.issued_at) >= rotationIntervalMs && graceIsOver) {
        const successor = tokenOf(generation + 1, now)
        if (await rotate(ctx, sessionId, generation, sha256(successor.token), now, renewed)) {
          return resumed(renewed, successor)
        }
        continue // A parallel request rotated first, so this token is now the previous one.
      }
      if (!found.presented_at && generation > 0) await notePresented(ctx, sessionId, generation, now)
      return resumed(found.expires_at)
    }
    if (generation === found.generation - 1 && sha256(token) === found.previous_hash) {
      if (!found.presented_at) {
        if (since(found.issued_at) < rotationIntervalMs / 2) {
          return resumed(found.expires_at, tokenOf(found.generation, found.issued_at))
        }
        if (await reissue(ctx, sessionId, found.generation, now, renewed)) {
          return resumed(renewed, tokenOf(found.generation, now))
        }
        continue // The current token was presented or the session revoked in the meantime.
      }
      if (since(found.presented_at) < rotationGraceMs) return resumed(found.expires_at)
    }
    await revokeStolen(ctx, sessionId, found.user_id, now)
    return { actor: null, problem: unauthorized('The session was ended because one of its old tokens was used again.') }
  }
}

/** @param idleMs - 0 disables the idle timeout */
export function hasExpired(
  { expires_at, active_at }: Pick<FoundSession, 'expires_at' | 'active_at'>,
  now: Date,
  idleMs: number,
): boolean {
  return expires_at <= now || (idleMs > 0 && now.getTime() - active_at.getTime() >= idleMs)
}

function renewedExpiry({ absolute_expires_at }: FoundSession, now: Date): Date {
  return new Date(Math.min(now.getTime() + lifetimeMs, absolute_expires_at.getTime()))
}

function actorOf(sessionId: string, found: FoundSession, expiresAt: Date): UserActor {
  return {
    kind: 'user',
    userId: found.user_id,
    email: found.email,
    name: found.name,
    sessionId,
    organizationId: null,
    projectId: null,
    session: { expiresAt, createdAt: found.created_at },
    user: {
      id: found.user_id,
      email: found.email,
      name: found.name,
      avatar: found.avatar,
      emailVerified: found.email_verified,
      createdAt: found.user_created_at,
      updatedAt: found.user_updated_at,
    },
  }
}

async function rotate(ctx: AuditContext, id: string, generation: number, hash: string, now: Date, expiresAt: Date) {
  const [, affected] = await ctx.db.query<[unknown, number]>(
    `UPDATE sessions
        SET generation = generation + 1, token_hash = $3, previous_hash = token_hash, presented_at = NULL,
            issued_at = $4, active_at = $4, expires_at = $5
      WHERE id = $1 AND generation = $2 AND revoked_at IS NULL`,
    [id, generation, hash, now, expiresAt],
  )
  return affected === 1
}

/** Records that the client uses the current token. From now on, the previous one has its grace time. */
async function notePresented(ctx: AuditContext, id: string, generation: number, now: Date): Promise<void> {
  await ctx.db.query(
    'UPDATE sessions SET presented_at = $3 WHERE id = $1 AND generation = $2 AND presented_at IS NULL',
    [id, generation, now],
  )
}

/** Restarts the interval for a token that is sent again. A client that never stores it still counts as active. */
async function reissue(ctx: AuditContext, id: string, generation: number, now: Date, expiresAt: Date) {
  const [, affected] = await ctx.db.query<[unknown, number]>(
    `UPDATE sessions SET issued_at = $3, active_at = $3, expires_at = $4
      WHERE id = $1 AND generation = $2 AND presented_at IS NULL AND revoked_at IS NULL`,
    [id, generation, now, expiresAt],
  )
  return affected === 1
}

async function revokeStolen(ctx: AuditContext, sessionId: string, userId: string, now: Date): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const [, affected] = await db.query<[unknown, number]>(
      'UPDATE sessions SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL',
      [sessionId, now],
    )
    // Of parallel requests, only one records it.
    if (affected === 1)
      await recordAudit({ ...ctx, db }, 'session_revoked', userId, { sessionId, reason: 'token_reuse' })
  })
}
