import type { Context } from '../../../base/context.ts'
import { addressKey } from '../../limits/limits.ts'
import type { MailJob } from '../../mail/schema.ts'

/**
 * Bounds what we write to one mailbox, and what one caller has us write; each kind of mail by itself, so that whoever
 * has others sent keeps nobody from resetting a password. Counted before anybody knows whether the address has an
 * account, so that a refusal does not tell.
 *
 * @throws AppError 429
 */
export async function attemptMail(ctx: Context, kind: MailJob['kind'], email: string): Promise<void> {
  const address = addressKey(ctx)
  await ctx.limits.attempt('mailByAccountAndAddress', `${kind}/${email}/${address}`)
  await ctx.limits.attempt('mailByAddress', address)
  await ctx.limits.attempt('mailByAccount', `${kind}/${email}`)
}
