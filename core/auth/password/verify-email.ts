import { recordAudit } from '../../audit/record.ts'
import { type Context, inTransaction } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { enqueueMail } from '../../mail/job.ts'
import { acceptInvitations } from '../../organizations/accept-invitations.ts'
import { safeCallbackUrl } from '../callback-url.ts'
import { canonicalEmail } from '../email-address.ts'
import { UserEntity } from '../entity.ts'
import { endOneTimeTokens, redeemOneTimeToken } from '../one-time-token.ts'
import { attemptMail } from './mail-limits.ts'
import type { Accepted, Finished, SendVerificationEmail, VerifyEmail } from './schema.ts'

/**
 * Has a link for verifying the address sent, if it has an account that is not verified yet. With a session it is that
 * one's address, whatever else is given; without one the caller does not learn whether there is an account.
 */
export async function sendVerificationEmail(ctx: Context, input: SendVerificationEmail): Promise<Accepted> {
  const given = ctx.actor?.kind === 'user' ? ctx.actor.email : input.email
  if (given === undefined) throw invalid('email: is needed where nobody is signed in')
  const email = canonicalEmail(given)
  const callbackUrl = input.callbackURL === undefined ? undefined : safeCallbackUrl(ctx.config, input.callbackURL)
  await attemptMail(ctx, email)
  await enqueueMail(ctx, { kind: 'verify_email', email, callbackUrl })
  return { status: true, message: 'If this address waits to be verified, a mail with a link is on its way.' }
}

/** Marks the address as verified by the link of a mail. Signs nobody in. */
export async function verifyEmail(ctx: Context, input: VerifyEmail): Promise<Finished> {
  return inTransaction(ctx, async (ctx) => {
    const userId = await redeemOneTimeToken(ctx.db, 'verify_email', input.token, ctx.now())
    if (userId === undefined) {
      throw invalid('token: this link was used, is too old, or is not complete. Ask for a new one.')
    }
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
