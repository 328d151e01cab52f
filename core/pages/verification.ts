import { sendVerificationEmail } from '../identity/auth/password/verify-email.ts'
import { requireSession } from '../base/context.ts'
import type { Route } from '../http/route.ts'
import { redirect } from '../http/page.ts'

/** Handles the button of the account settings that sends a verification link. */
export const askForOwnVerification: Route = async (ctx) => {
  requireSession(ctx)
  await sendVerificationEmail(ctx, {})
  return redirect('/settings?done=verification-sent')
}
