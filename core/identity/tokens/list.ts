import { type Caller, type Context, requireUser } from '../../base/context.ts'
import { TokenEntity } from './entity.ts'
import { presentToken } from './present.ts'
import type { Token } from './schema.ts'

/**
 * Lists the user's tokens, newest first, including expired and revoked ones. A token that is restricted to an
 * organization or project sees only tokens with the same restriction.
 */
export async function listTokens(ctx: Context): Promise<Token[]> {
  const rows = await ctx.db
    .getRepository(TokenEntity)
    .find({ where: ownTokens(requireUser(ctx)), order: { id: 'DESC' } })
  return rows.map(presentToken)
}

/** Returns the condition for the tokens that the caller may list and revoke. */
export function ownTokens(actor: Caller) {
  const { userId, organizationId, projectId } = actor
  return { userId, ...(organizationId ? { organizationId } : {}), ...(projectId ? { projectId } : {}) }
}
