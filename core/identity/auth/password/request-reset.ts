import type { Context } from '../../../base/context.ts'
import { enqueueMail } from '../../mail/job.ts'
import { safeCallbackUrl } from '../callback-url.ts'
import { canonicalEmail } from '../../users/email-address.ts'
import { attemptMail } from './mail-limits.ts'
import type { Accepted, RequestPasswordReset } from './schema.ts'

/** Has a link for setting a password sent, if the address has an account; the caller does not learn whether it has. */
export async function requestPasswordReset(ctx: Context, input: RequestPasswordReset): Promise<Accepted> {
  const email = canonicalEmail(input.email)
  const callbackUrl =
    input.redirectTo === undefined ? undefined : safeCallbackUrl(ctx.config, input.redirectTo, 'redirectTo')
  await attemptMail(ctx, 'reset_password', email)
  await enqueueMail(ctx, { kind: 'reset_password', email, callbackUrl })
  return { status: true, message: 'If this address has an account, a mail with a link is on its way.' }
}
