import type { Context } from '../../../base/context.ts'
import { addressKey } from '../../limits/limits.ts'
import type { MailJob } from '../../mail/schema.ts'

/**
 * Limits the mail to one mailbox and the mail that one caller requests. Each kind of mail has its own limit, so that
 * requesting other mail cannot prevent a password reset. Counts before the account is looked up, so that a refusal does
 * not reveal whether the address has an account.
 *
 * @throws AppError 429
 */
export async function attemptMail(ctx: Context, kind: MailJob['kind'], email: string): Promise<void> {
  const address = addressKey(ctx)
  await ctx.limits.attempt('mailByAccountAndAddress', `${kind}/${email}/${address}`)
  await ctx.limits.attempt('mailByAddress', address)
  await ctx.limits.attempt('mailByAccount', `${kind}/${email}`)
}
