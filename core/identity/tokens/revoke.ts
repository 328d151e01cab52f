import { IsNull } from 'typeorm'
import { recordAudit } from '../audit/record.ts'
import { type Context, inTransaction, requireUser } from '../../base/context.ts'
import { notFound, procedureHint } from '../../base/errors.ts'
import { TokenEntity } from './entity.ts'
import { ownTokens } from './list.ts'
import { presentToken } from './present.ts'
import type { RevokeToken, Token } from './schema.ts'

/** Revokes a token. Revoking it again changes nothing. */
export async function revokeToken(ctx: Context, input: RevokeToken): Promise<Token> {
  const caller = requireUser(ctx)
  const own = { id: input.tokenId, ...ownTokens(caller) }
  return inTransaction(ctx, async (ctx) => {
    const tokens = ctx.db.getRepository(TokenEntity)
    const { affected } = await tokens.update({ ...own, revokedAt: IsNull() }, { revokedAt: ctx.now() })
    const row = await tokens.findOneBy(own)
    if (!row) throw notFound('token', 'tokens.list lists yours.', procedureHint('tokens.list'))
    if (affected) await recordAudit(ctx, 'token_revoked', caller.userId, { tokenId: row.id, name: row.name })
    return presentToken(row)
  })
}
