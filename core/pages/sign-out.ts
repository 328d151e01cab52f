import type { Route } from '../http/route.ts'
import { clearSessionCookie } from '../identity/sessions/cookie.ts'
import { invalidateSession } from '../identity/sessions/revoke.ts'
import { redirect } from '../http/page.ts'

/** Signs out. Without a session it only clears the cookie. */
export const leave: Route = async (ctx, koa) => {
  if (ctx.actor?.kind === 'user') await invalidateSession(ctx)
  clearSessionCookie(koa, ctx.config)
  return redirect('/sign-in?done=signed-out')
}
