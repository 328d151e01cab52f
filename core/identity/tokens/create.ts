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

/** Each token has its own rate limit, so an unlimited number of tokens would mean no rate limit. */
const maxTokens = 100

/**
 * Creates a token and returns its plain text, which cannot be read again. A token created with another token has at most
 * the scopes, lifetime and access of that token.
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
  const maxExpiresAt = actor.kind === 'token' ? actor.expiresAt.getTime() : Number.POSITIVE_INFINITY
  const requestedExpiresAt = now.getTime() + (input.expiresInDays ?? defaultDays) * day
  if (input.expiresInDays !== undefined && requestedExpiresAt > maxExpiresAt) {
    throw invalid(
      `expiresInDays: the new token would outlive yours, which expires at ${new Date(maxExpiresAt).toISOString()}. ` +
        'Leave expiresInDays out to get the longest possible lifetime.',
    )
  }
  const restriction = {
    organizationId: input.organizationId ?? actor.organizationId ?? undefined,
    projectId: input.projectId ?? actor.projectId ?? undefined,
  }
  if (actor.organizationId && restriction.organizationId !== actor.organizationId) {
    throw forbidden('Your token is restricted to another organization. Leave out organizationId.', {
      hint: { kind: 'confined', to: 'organization' },
    })
  }
  if (actor.projectId && restriction.projectId !== actor.projectId) {
    throw forbidden('Your token is restricted to another project. Leave out projectId.', {
      hint: { kind: 'confined', to: 'project' },
    })
  }

  return inTransaction(ctx, async (ctx) => {
    // Serializes the calls of one user, so that the limit holds under concurrency.
    await ctx.db.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [actor.userId])
    const good = { userId: actor.userId, revokedAt: IsNull(), expiresAt: MoreThan(now) }
    if ((await ctx.db.getRepository(TokenEntity).countBy(good)) >= maxTokens) {
      throw conflict(
        `You have ${maxTokens} valid tokens, which is the maximum. Revoke one with tokens.revoke.`,
        procedureHint('tokens.revoke'),
      )
    }
    await lockRestriction(ctx, restriction)
    const { row, plainToken } = await insertToken(ctx.db, {
      userId: actor.userId,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      organizationId: restriction.organizationId ?? null,
      projectId: restriction.projectId ?? null,
      expiresAt: new Date(Math.min(requestedExpiresAt, maxExpiresAt)),
      createdAt: now,
    })
    const { id: tokenId, name, scopes, organizationId, projectId } = row
    const details = { tokenId, name, scopes, organizationId, projectId }
    await recordAudit(ctx, 'token_created', actor.userId, details)
    return { ...presentToken(row), token: plainToken }
  })
}

/** Checks that the caller has access to the project or organization, and prevents its deletion until the token exists. */
async function lockRestriction(
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
