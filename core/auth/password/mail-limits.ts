import type { Context } from '../../context.ts'
import { addressKey } from '../../limits/limits.ts'

/**
 * Bounds what we write to one mailbox, and what one caller has us write. Counted before anybody knows whether the
 * address has an account, so that a refusal does not tell.
 *
 * @throws AppError 429
 */
export async function attemptMail(ctx: Context, email: string): Promise<void> {
  await ctx.limits.attempt('mailByAddress', addressKey(ctx))
  await ctx.limits.attempt('mailByAccount', email)
}
