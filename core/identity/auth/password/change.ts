import { IsNull } from 'typeorm'
import { recordAudit } from '../../audit/record.ts'
import { type Context, inTransaction, requireSession } from '../../../base/context.ts'
import { invalid, sessionExpired } from '../../../base/errors.ts'
import { enqueueMail } from '../../mail/job.ts'
import { SessionEntity } from '../../sessions/entity.ts'
import { endSessions } from '../../sessions/revoke.ts'
import { PasswordEntity } from '../entity.ts'
import { endOneTimeTokens } from '../../users/one-time-token.ts'
import { presentUser } from '../../users/present.ts'
import { hashPassword, verifyPassword } from './hash.ts'
import type { ChangedPassword, ChangePassword } from './schema.ts'

/**
 * Changes the password of the signed-in user, who must send the current one, and notifies the user by mail. Ends the
 * other sessions by default, and invalidates every password reset link.
 */
export async function changePassword(ctx: Context, input: ChangePassword): Promise<ChangedPassword> {
  const { user, sessionId } = requireSession(ctx)
  await ctx.limits.attempt('signInByAccount', user.email)
  const stored = await ctx.db.getRepository(PasswordEntity).findOneBy({ userId: user.id })
  if (!stored) {
    await ctx.limits.refund('signInByAccount', user.email)
    throw invalid('This account has no password yet. Request a password reset mail to set one.')
  }
  const { matches } = await verifyPassword(input.currentPassword, stored.passwordHash)
  const passwordHash = matches ? await hashPassword(input.newPassword) : undefined

  const changed = await inTransaction(ctx, async (ctx) => {
    const known = { userId: user.id, passwordHash: stored.passwordHash }
    const passwords = ctx.db.getRepository(PasswordEntity)
    // The session may have ended during hashing.
    await ctx.db.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [user.id])
    const alive = { id: sessionId, revokedAt: IsNull() }
    if (!(await ctx.db.getRepository(SessionEntity).existsBy(alive))) throw sessionExpired()
    // Of two parallel changes, the second one no longer sends the current password.
    const { affected } = passwordHash
      ? await passwords.update(known, { passwordHash, updatedAt: ctx.now() })
      : { affected: 0 }
    if (!affected) {
      await recordAudit(ctx, 'failed_auth', user.id, { method: 'password', reason: 'change' })
      return false
    }
    await endOneTimeTokens(ctx.db, 'reset_password', user.id)
    const endedSessions = input.revokeOtherSessions ? await endSessions(ctx.db, user.id, ctx.now(), sessionId) : 0
    await enqueueMail(ctx, { kind: 'password_changed', email: user.email })
    await recordAudit(ctx, 'password_changed', user.id, { endedSessions })
    return true
  })
  if (!changed) throw invalid('currentPassword: is wrong')
  await ctx.limits.refund('signInByAccount', user.email)
  return { status: true, user: presentUser(user) }
}
