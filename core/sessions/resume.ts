import { type AuditContext, recordAudit } from '../audit/record.ts'
import type { UserActor } from '../context.ts'
import { sha256 } from '../crypto.ts'
import { type AppError, sessionExpired, unauthorized } from '../errors.ts'
import { parseSessionToken, sessionToken } from './session-token.ts'
import { lifetimeMs } from './start.ts'

/** What came of a session token that somebody presented. */
export type Resumed =
  | { actor: UserActor; /** To be set as cookie, where that is due. */ successor: string | undefined }
  | { actor: null; problem: AppError }

interface Found {
  user_id: string
  email: string
  name: string
  avatar: string | null
  email_verified: boolean
  user_created_at: Date
  user_updated_at: Date
  generation: number
  token_hash: string
  previous_hash: string | null
  presented_at: Date | null
  rotated_at: Date
  active_at: Date
  expires_at: Date
  absolute_expires_at: Date
  revoked_at: Date | null
  created_at: Date
}

/**
 * The user behind a session token, and the session's refresh.
 *
 * A session is rotated at most once per interval, by compare-and-set on its generation. The token before the current
 * one stays good as long as the current one was never presented, since the answer that carried it may have been lost;
 * afterwards it is good for the grace time, for requests that were under way. Any older token, or that one later, was
 * copied: the session is revoked.
 */
export async function resumeSession(ctx: AuditContext, token: string): Promise<Resumed> {
  const reference = parseSessionToken(ctx.config.secretKey, token)
  if (!reference) return { actor: null, problem: unauthorized('Not authenticated') }
  const { sessionId, generation } = reference
  const { rotationIntervalMs, rotationGraceMs, idleMs } = ctx.config.sessions

  for (;;) {
    const found = await findSession(ctx, sessionId)
    const now = ctx.now()
    const since = (then: Date) => now.getTime() - then.getTime()
    if (!found) return { actor: null, problem: sessionExpired() }
    if (found.revoked_at) return { actor: null, problem: unauthorized('The session was ended. Sign in again.') }
    if (found.expires_at <= now || (idleMs > 0 && since(found.active_at) >= idleMs)) {
      return { actor: null, problem: sessionExpired() }
    }
    const renewed = renewedExpiry(found, now)
    const resumed = (expiresAt: Date, successor?: string): Resumed => ({
      actor: actorOf(sessionId, found, expiresAt),
      successor,
    })

    if (generation === found.generation && sha256(token) === found.token_hash) {
      if (since(found.rotated_at) >= rotationIntervalMs) {
        const successor = sessionToken(ctx.config.secretKey, { sessionId, generation: generation + 1 })
        if (await rotate(ctx, sessionId, generation, sha256(successor), now, renewed))
          return resumed(renewed, successor)
        continue // Somebody else was faster: the token at hand is the one before by now.
      }
      if (!found.presented_at && generation > 0) await notePresented(ctx, sessionId, generation, now)
      return resumed(found.expires_at)
    }
    if (generation === found.generation - 1 && sha256(token) === found.previous_hash) {
      if (!found.presented_at) {
        const successor = sessionToken(ctx.config.secretKey, { sessionId, generation: found.generation })
        if (since(found.active_at) < rotationIntervalMs) return resumed(found.expires_at, successor)
        await noteActive(ctx, sessionId, now, renewed)
        return resumed(renewed, successor)
      }
      if (since(found.presented_at) < rotationGraceMs) return resumed(found.expires_at)
    }
    await revokeStolen(ctx, sessionId, found.user_id, now)
    return { actor: null, problem: unauthorized('The session was ended, because an old token of it was used again.') }
  }
}

async function findSession(ctx: AuditContext, sessionId: string): Promise<Found | undefined> {
  const [found] = await ctx.db.query<Found[]>(
    `SELECT s.user_id, s.generation, s.token_hash, s.previous_hash, s.presented_at, s.rotated_at, s.active_at,
            s.expires_at, s.absolute_expires_at, s.revoked_at, s.created_at, u.email, u.name, u.avatar,
            u.email_verified, u.created_at AS user_created_at, u.updated_at AS user_updated_at
       FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.id = $1`,
    [sessionId],
  )
  return found
}

function renewedExpiry({ absolute_expires_at }: Found, now: Date): Date {
  return new Date(Math.min(now.getTime() + lifetimeMs, absolute_expires_at.getTime()))
}

function actorOf(sessionId: string, found: Found, expiresAt: Date): UserActor {
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
            rotated_at = $4, active_at = $4, expires_at = $5
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

/** A client that never keeps the successor is nonetheless active. */
async function noteActive(ctx: AuditContext, id: string, now: Date, expiresAt: Date): Promise<void> {
  await ctx.db.query('UPDATE sessions SET active_at = $2, expires_at = $3 WHERE id = $1', [id, now, expiresAt])
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
