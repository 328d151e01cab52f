import type { Context } from '../../../base/context.ts'
import { enqueueMail } from '../../mail/job.ts'
import { safeCallbackUrl } from '../callback-url.ts'
import { canonicalEmail } from '../../users/email-address.ts'
import { attemptMail } from './mail-limits.ts'
import type { Accepted, RequestPasswordReset } from './schema.ts'

/** Sends a password reset link if the address has an account. The answer does not reveal whether it has one. */
export async function requestPasswordReset(ctx: Context, input: RequestPasswordReset): Promise<Accepted> {
  const email = canonicalEmail(input.email)
  const callbackUrl =
    input.redirectTo === undefined ? undefined : safeCallbackUrl(ctx.config, input.redirectTo, 'redirectTo')
  await attemptMail(ctx, 'reset_password', email)
  await enqueueMail(ctx, { kind: 'reset_password', email, callbackUrl })
  return { status: true, message: 'If this address has an account, you will receive a mail with a link.' }
}
