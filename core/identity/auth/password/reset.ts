import { IsNull } from 'typeorm'
import { recordAudit } from '../../audit/record.ts'
import { type Context, inTransaction } from '../../../base/context.ts'
import { invalid } from '../../../base/errors.ts'
import { addressKey } from '../../limits/limits.ts'
import { enqueueMail } from '../../mail/job.ts'
import { acceptInvitations } from '../../organizations/accept-invitations.ts'
import { endSessions } from '../../sessions/revoke.ts'
import { TokenEntity } from '../../tokens/entity.ts'
import { PasswordEntity } from '../entity.ts'
import { AccountLinkEntity } from '../../../code-host/entity.ts'
import { UserEntity } from '../../users/entity.ts'
import { endOneTimeTokens, findOneTimeToken, redeemOneTimeToken } from '../../users/one-time-token.ts'
import { hashPassword } from './hash.ts'
import type { Finished, ResetPassword } from './schema.ts'

const badLink = () => invalid('token: this link was already used, has expired, or is incomplete. Request a new one.')

/**
 * Sets a password with the token from a mail, also if the account had none, and ends every session. The token proves
 * that the caller owns the address, so the address counts as verified. If it was not verified before, another person may
 * have created the account: its API tokens and account links are removed.
 */
export async function resetPassword(ctx: Context, input: ResetPassword): Promise<Finished> {
  // Hashing is expensive and must not run for made-up tokens.
  if (!(await findOneTimeToken(ctx.db, 'reset_password', input.token, ctx.now()))) throw badLink()
  const passwordHash = await hashPassword(input.newPassword)
  const email = await inTransaction(ctx, async (ctx) => {
    const now = ctx.now()
    const userId = await redeemOneTimeToken(ctx.db, 'reset_password', input.token, now)
    const users = ctx.db.getRepository(UserEntity)
    const user = userId && (await users.findOne({ where: { id: userId }, lock: { mode: 'pessimistic_write' } }))
    if (!user) throw badLink()

    await ctx.db.getRepository(PasswordEntity).upsert({ userId: user.id, passwordHash, updatedAt: now }, ['userId'])
    await endOneTimeTokens(ctx.db, 'reset_password', user.id)
    await endOneTimeTokens(ctx.db, 'verify_email', user.id)
    const endedSessions = await endSessions(ctx.db, user.id, now)
    const taken = user.emailVerified ? undefined : await takeOver(ctx, user.id)
    await enqueueMail(ctx, { kind: 'password_changed', email: user.email })

    await acceptInvitations(ctx, user.id)
    await recordAudit(ctx, 'password_reset', user.id, { endedSessions, ...taken })
    if (taken) await recordAudit(ctx, 'email_verified', user.id, { by: 'password_reset' })
    if (taken?.revokedTokens) await recordAudit(ctx, 'token_revoked', user.id, { count: taken.revokedTokens })
    return user.email
  })
  // A user who forgot the password has often used up the attempts.
  await ctx.limits.forget('signInByAccount', email)
  await ctx.limits.forget('signInByAccountAndAddress', `${email}/${addressKey(ctx)}`)
  return { status: true }
}

async function takeOver({ db, now }: Context, userId: string) {
  await db.getRepository(UserEntity).update({ id: userId }, { emailVerified: true, updatedAt: now() })
  const revoked = await db.getRepository(TokenEntity).update({ userId, revokedAt: IsNull() }, { revokedAt: now() })
  const removed = await db.getRepository(AccountLinkEntity).delete({ userId })
  return { revokedTokens: revoked.affected ?? 0, removedLinks: removed.affected ?? 0 }
}
