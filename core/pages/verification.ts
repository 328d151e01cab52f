import { sendVerificationEmail } from '../identity/auth/password/verify-email.ts'
import { requireSession } from '../base/context.ts'
import type { Route } from '../http/route.ts'
import { redirect } from '../http/page.ts'

/** The button for it on the first page. */
export const askForOwnVerification: Route = async (ctx) => {
  requireSession(ctx)
  await sendVerificationEmail(ctx, {})
  return redirect('/?done=verification-sent')
}
