import { type Context, requireUser } from '../../base/context.ts'
import { hasExpired } from '../sessions/resume.ts'
import { whyRefused } from '../tokens/authenticate.ts'
import type { FoundToken } from '../tokens/find.ts'

/** Returns whether the credential of the call is still valid, for long responses. Does not update its last use. */
export async function isStillAuthenticated(ctx: Context): Promise<boolean> {
  const caller = requireUser(ctx)
  if (caller.kind === 'user') {
    const session = await ctx.credentials.session(caller.sessionId)
    return session?.revoked_at === null && !hasExpired(session, ctx.now(), ctx.config.sessions.idleMs)
  }
  const [token] = await ctx.db.query<Pick<FoundToken, 'revoked_at' | 'expires_at'>[]>(
    'SELECT revoked_at, expires_at FROM api_tokens WHERE id = $1',
    [caller.tokenId],
  )
  return token !== undefined && whyRefused(token, ctx.now()) === undefined
}
