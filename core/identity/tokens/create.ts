import { IsNull, MoreThan } from 'typeorm'
import { recordAudit } from '../audit/record.ts'
import { type Context, inTransaction, requireUser } from '../../base/context.ts'
import { conflict, forbidden, invalid, procedureHint } from '../../base/errors.ts'
import { lockOwnOrganization } from '../organizations/get.ts'
import { lockOwnProject } from '../../projects/get.ts'
import { TokenEntity } from './entity.ts'
import { insertToken } from './insert.ts'
import { presentToken } from './present.ts'
import type { CreatedToken, CreateToken } from './schema.ts'

const day = 86_400_000
const defaultDays = 90

/** Each has limits of its own, so that many tokens would be no limit at all. */
const maxTokens = 100

/**
 * Creates a token and returns it in plain for the only time. It can do no more and live no longer than its maker, and is
 * confined at least as much.
 */
export async function createToken(ctx: Context, input: CreateToken): Promise<CreatedToken> {
  const actor = requireUser(ctx)
  const excess = actor.kind === 'token' ? input.scopes.filter((scope) => !actor.scopes.includes(scope)) : []
  if (excess.length > 0) {
    throw forbidden(
      `Your token lacks the scope ${excess.join(', ')}, so it cannot create a token with it. Leave the scope out.`,
    )
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
  const confines = {
    organizationId: input.organizationId ?? actor.organizationId ?? undefined,
    projectId: input.projectId ?? actor.projectId ?? undefined,
  }
  if (actor.organizationId && confines.organizationId !== actor.organizationId) {
    throw forbidden('Your token is restricted to another organization. Leave out organizationId.', {
      hint: { kind: 'confined', to: 'organization' },
    })
  }
  if (actor.projectId && confines.projectId !== actor.projectId) {
    throw forbidden('Your token is restricted to another project. Leave out projectId.', {
      hint: { kind: 'confined', to: 'project' },
    })
  }

  return inTransaction(ctx, async (ctx) => {
    // One at a time, so that the most is the most.
    await ctx.db.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [actor.userId])
    const good = { userId: actor.userId, revokedAt: IsNull(), expiresAt: MoreThan(now) }
    if ((await ctx.db.getRepository(TokenEntity).countBy(good)) >= maxTokens) {
      throw conflict(
        `You have ${maxTokens} valid tokens, which is the maximum. Revoke one with tokens.revoke.`,
        procedureHint('tokens.revoke'),
      )
    }
    await lockConfines(ctx, confines)
    const { row, plainToken } = await insertToken(ctx.db, {
      userId: actor.userId,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      organizationId: confines.organizationId ?? null,
      projectId: confines.projectId ?? null,
      expiresAt: new Date(Math.min(asked, longest)),
      createdAt: now,
    })
    const { id: tokenId, name, scopes, organizationId, projectId } = row
    const details = { tokenId, name, scopes, organizationId, projectId }
    await recordAudit(ctx, 'token_created', actor.userId, details)
    return { ...presentToken(row), token: plainToken }
  })
}

/** What the token is confined to is there, the caller's to see, and stays until the token is made. */
async function lockConfines(
  ctx: Context,
  { organizationId, projectId }: Pick<CreateToken, 'organizationId' | 'projectId'>,
): Promise<void> {
  if (projectId !== undefined) {
    const project = await lockOwnProject(ctx, projectId, 'viewer', 'KEY SHARE')
    if (organizationId === undefined || project.organizationId === organizationId) return
    throw invalid('projectId: is not a project of that organization. Leave out organizationId.')
  }
  if (organizationId !== undefined) await lockOwnOrganization(ctx, organizationId, 'viewer', 'KEY SHARE')
}
