import { recordAudit } from '../../audit/record.ts'
import { type Context, inTransaction } from '../../../base/context.ts'
import { invalid, unauthorized } from '../../../base/errors.ts'
import { enqueueMail } from '../../mail/job.ts'
import { acceptInvitations } from '../../organizations/accept-invitations.ts'
import { safeCallbackUrl } from '../callback-url.ts'
import { canonicalEmail } from '../../users/email-address.ts'
import { PasswordEntity } from '../entity.ts'
import { UserEntity } from '../../users/entity.ts'
import { endOneTimeTokens, findOneTimeToken, redeemOneTimeToken } from '../../users/one-time-token.ts'
import { verifyPassword } from './hash.ts'
import { attemptMail } from './mail-limits.ts'
import type { Accepted, Finished, SendVerificationEmail, VerifyEmail } from './schema.ts'

/**
 * Sends a verification link if the address has an unverified account. A signed-in caller always gets the link for the
 * own address. The answer does not reveal whether the address has an account.
 */
export async function sendVerificationEmail(ctx: Context, input: SendVerificationEmail): Promise<Accepted> {
  const given = ctx.actor?.kind === 'user' ? ctx.actor.email : input.email
  if (given === undefined) throw invalid('email: is required without a session')
  const email = canonicalEmail(given)
  const callbackUrl = input.callbackURL === undefined ? undefined : safeCallbackUrl(ctx.config, input.callbackURL)
  await attemptMail(ctx, 'verify_email', email)
  await enqueueMail(ctx, { kind: 'verify_email', email, callbackUrl })
  return { status: true, message: 'If this address is not verified yet, you will receive a mail with a link.' }
}

const badLink = () => invalid('token: this link was already used, has expired, or is incomplete. Request a new one.')

/**
 * Marks the address as verified with the token from a mail. The caller must be signed in to the account or send its
 * password. The token alone is not enough: an attacker can create an account with a victim's address, and the victim
 * would confirm the attacker's account. Does not sign the caller in.
 */
export async function verifyEmail(ctx: Context, input: VerifyEmail): Promise<Finished> {
  const owner = await findOneTimeToken(ctx.db, 'verify_email', input.token, ctx.now())
  if (owner === undefined) throw badLink()
  if (ctx.actor?.kind !== 'user' || ctx.actor.userId !== owner) await requirePassword(ctx, owner, input.password)
  return inTransaction(ctx, async (ctx) => {
    const userId = await redeemOneTimeToken(ctx.db, 'verify_email', input.token, ctx.now())
    if (userId === undefined) throw badLink()
    await endOneTimeTokens(ctx.db, 'verify_email', userId)
    const unverified = { id: userId, emailVerified: false }
    const { affected } = await ctx.db
      .getRepository(UserEntity)
      .update(unverified, { emailVerified: true, updatedAt: ctx.now() })
    await acceptInvitations(ctx, userId)
    if (affected) await recordAudit(ctx, 'email_verified', userId, { by: 'mail' })
    return { status: true }
  })
}

async function requirePassword(ctx: Context, userId: string, password: string | undefined): Promise<void> {
  if (password === undefined) {
    throw unauthorized('Sign in to the account first, or send its password too, to prove that the account is yours.')
  }
  const user = await ctx.db.getRepository(UserEntity).findOneByOrFail({ id: userId })
  await ctx.limits.attempt('signInByAccount', user.email)
  const stored = await ctx.db.getRepository(PasswordEntity).findOneBy({ userId })
  if (!stored || !(await verifyPassword(password, stored.passwordHash)).matches) {
    await recordAudit(ctx, 'failed_auth', userId, { method: 'password', reason: 'verify_email' })
    throw unauthorized(
      'The password is wrong. If another person created the account with your address, reset its password to take the account over.',
    )
  }
  await ctx.limits.refund('signInByAccount', user.email)
}
