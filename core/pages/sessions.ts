import { z } from 'zod'
import { readForm } from '../http/body.ts'
import type { Route } from '../http/route.ts'
import { clearSessionCookie } from '../identity/sessions/cookie.ts'
import { invalidateSession, revokeOtherSessions, revokeSession } from '../identity/sessions/revoke.ts'
import { RevokeSessionBody } from '../identity/sessions/schema.ts'
import { redirect } from '../http/page.ts'

const EndSession = z.object({ session: RevokeSessionBody.shape.token })

export const endSession: Route = async (ctx, koa) => {
  const { session } = await readForm(koa, EndSession)
  await revokeSession(ctx, { sessionToken: session })
  return redirect('/?done=session-ended')
}

export const endOtherSessions: Route = async (ctx) => {
  await revokeOtherSessions(ctx)
  return redirect('/?done=others-ended')
}

/** Signs out. Without a session it only clears the cookie. */
export const leave: Route = async (ctx, koa) => {
  if (ctx.actor?.kind === 'user') await invalidateSession(ctx)
  clearSessionCookie(koa, ctx.config)
  return redirect('/sign-in?done=signed-out')
}
