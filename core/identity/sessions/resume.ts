import type { Successor } from '../../http/request.ts'
import { type AuditContext, recordAudit } from '../audit/record.ts'
import type { UserActor } from '../../base/context.ts'
import { sha256 } from '../../base/crypto.ts'
import { type AppError, sessionExpired, unauthorized } from '../../base/errors.ts'
import { findSession, type FoundSession } from './find.ts'
import { parseSessionToken, sessionToken } from './session-token.ts'
import { lifetimeMs } from './start.ts'

/** What came of a session token that somebody presented. */
export type Resumed =
  | { actor: UserActor; /** To be set as cookie, where that is due. */ successor: Successor | undefined }
  | { actor: null; problem: AppError }

/**
 * The user behind a session token, and the session's refresh.
 *
 * A session is rotated at most once per interval, by compare-and-set on its generation. The token before the current
 * one stays good as long as the current one was never presented, since the answer that carried it may have been lost;
 * afterwards it is good for the grace time, for requests that were under way. Any older token, or that one later, was
 * copied: the session is revoked.
 *
 * A token leaves us in the first half of an interval alone, so that its answer has the other half to arrive before the
 * next token can be out. Otherwise a slow answer would put an old token over a newer one, and that would look like theft.
 */
export async function resumeSession(ctx: AuditContext, token: string): Promise<Resumed> {
  const reference = parseSessionToken(ctx.config.secretKey, token)
  if (!reference) return { actor: null, problem: unauthorized('Not authenticated') }
  const { sessionId, generation } = reference
  const { rotationIntervalMs, rotationGraceMs, idleMs } = ctx.config.sessions

  for (;;) {
    const found = await findSession(ctx.db, sessionId)
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
      // The token before would lose what is left of its grace time; it gets that first.
      const graceIsOver = since(found.presented_at ?? found.issued_at) >= rotationGraceMs
      if (since(found.issued_at) >= rotationIntervalMs && graceIsOver) {
        const successor = tokenOf(generation + 1, now)
        if (await rotate(ctx, sessionId, generation, sha256(successor.token), now, renewed)) {
          return resumed(renewed, successor)
        }
        continue // Somebody else was faster: the token at hand is the one before by now.
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
        continue // It was presented or revoked in the meantime.
      }
      if (since(found.presented_at) < rotationGraceMs) return resumed(found.expires_at)
    }
    await revokeStolen(ctx, sessionId, found.user_id, now)
    return { actor: null, problem: unauthorized('The session was ended because one of its old tokens was used again.') }
  }
}

/** @param idleMs - 0: never of disuse */
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

/** The successor has arrived: from now on the token before it has its grace time. */
async function notePresented(ctx: AuditContext, id: string, generation: number, now: Date): Promise<void> {
  await ctx.db.query(
    'UPDATE sessions SET presented_at = $3 WHERE id = $1 AND generation = $2 AND presented_at IS NULL',
    [id, generation, now],
  )
}

/** Begins the interval anew for a token that is sent again; a client that never keeps it is nonetheless active. */
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
    // Of many such requests at once, one records it.
    if (affected === 1)
      await recordAudit({ ...ctx, db }, 'session_revoked', userId, { sessionId, reason: 'token_reuse' })
  })
}
