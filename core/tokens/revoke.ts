import { IsNull } from 'typeorm'
import { type Context, requireUser } from '../context.ts'
import { notFound } from '../errors.ts'
import { TokenEntity } from './entity.ts'
import { ownTokens } from './list.ts'
import { presentToken } from './present.ts'
import type { RevokeToken, Token } from './schema.ts'

/** Ends a token at once and for good. Revoking it again changes nothing. */
export async function revokeToken(ctx: Context, input: RevokeToken): Promise<Token> {
  const own = { id: input.tokenId, ...ownTokens(requireUser(ctx)) }
  const tokens = ctx.db.getRepository(TokenEntity)
  await tokens.update({ ...own, revokedAt: IsNull() }, { revokedAt: ctx.now() })
  const row = await tokens.findOneBy(own)
  if (!row) throw notFound('token', 'tokens.list shows yours.')
  return presentToken(row)
}
