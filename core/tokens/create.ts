import { IsNull, MoreThan } from 'typeorm'
import { recordAudit } from '../audit/record.ts'
import { type Context, inTransaction, requireUser } from '../context.ts'
import { conflict, forbidden, invalid, notFound } from '../errors.ts'
import { getOwnProject } from '../projects/get.ts'
import { TokenEntity } from './entity.ts'
import { insertToken } from './insert.ts'
import { presentToken } from './present.ts'
import type { CreatedToken, CreateToken } from './schema.ts'

const day = 86_400_000
const defaultDays = 90

/** Each has limits of its own, so that many tokens would be no limit at all. */
const maxTokens = 100

/** Creates a token and returns it in plain for the only time. It can do no more and live no longer than its maker. */
export async function createToken(ctx: Context, input: CreateToken): Promise<CreatedToken> {
  const actor = requireUser(ctx)
  const excess = actor.kind === 'token' ? input.scopes.filter((scope) => !actor.scopes.includes(scope)) : []
  if (excess.length > 0) {
    throw forbidden(`Your token lacks the scope ${excess.join(', ')}, so it cannot hand that on. Leave it out.`)
  }
  const now = ctx.now()
  const longest = actor.kind === 'token' ? actor.expiresAt.getTime() : Number.POSITIVE_INFINITY
  const asked = now.getTime() + (input.expiresInDays ?? defaultDays) * day
  if (input.expiresInDays !== undefined && asked > longest) {
    throw invalid(
      `expiresInDays: the new token would outlive yours, which expires at ${new Date(longest).toISOString()}. ` +
        'Leave expiresInDays out to get the longest life possible.',
    )
  }
  if (input.organizationId !== undefined) throw notFound('organization')
  if (actor.projectId && input.projectId !== actor.projectId) {
    throw forbidden(`Your token is confined to one project; pass projectId ${actor.projectId}.`)
  }
  if (input.projectId !== undefined) await getOwnProject(ctx, input.projectId)

  return inTransaction(ctx, async (ctx) => {
    // One at a time, so that the most is the most.
    await ctx.db.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [actor.userId])
    const good = { userId: actor.userId, revokedAt: IsNull(), expiresAt: MoreThan(now) }
    if ((await ctx.db.getRepository(TokenEntity).countBy(good)) >= maxTokens) {
      throw conflict(`You have ${maxTokens} tokens that are good, which is the most. Revoke one with tokens.revoke.`)
    }
    const { row, plainToken } = await insertToken(ctx.db, {
      userId: actor.userId,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      projectId: input.projectId ?? null,
      expiresAt: new Date(Math.min(asked, longest)),
      createdAt: now,
    })
    const { id: tokenId, name, scopes, projectId } = row
    await recordAudit(ctx, 'token_created', actor.userId, { tokenId, name, scopes, projectId })
    return { ...presentToken(row), token: plainToken }
  })
}
