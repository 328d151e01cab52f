import { type Context, requireUser } from '../../base/context.ts'
import { forbidden, procedureHint, unauthorized } from '../../base/errors.ts'
import { TokenEntity } from './entity.ts'
import { presentToken } from './present.ts'
import type { CurrentToken } from './schema.ts'

/** Returns the token of the call and its user. */
export async function currentToken(ctx: Context): Promise<CurrentToken> {
  const actor = requireUser(ctx)
  if (actor.kind === 'user')
    throw forbidden(
      'This call uses a session, not a token. Call auth.getSession for the user of the session.',
      procedureHint('auth.getSession'),
    )
  const row = await ctx.db.getRepository(TokenEntity).findOneBy({ id: actor.tokenId })
  if (!row) throw unauthorized('The token was deleted during the call.')
  return { ...presentToken(row), user: { id: actor.userId, email: actor.email, name: actor.name } }
}
