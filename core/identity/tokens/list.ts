import { type Caller, type Context, requireUser } from '../../base/context.ts'
import { TokenEntity } from './entity.ts'
import { presentToken } from './present.ts'
import type { Token } from './schema.ts'

/**
 * The user's tokens, newest first, expired and revoked ones included. A token that is confined to an organization or
 * project sees only those confined to the same.
 */
export async function listTokens(ctx: Context): Promise<Token[]> {
  const rows = await ctx.db
    .getRepository(TokenEntity)
    .find({ where: ownTokens(requireUser(ctx)), order: { id: 'DESC' } })
  return rows.map(presentToken)
}

/** What the actor may see and revoke. */
export function ownTokens(actor: Caller) {
  const { userId, organizationId, projectId } = actor
  return { userId, ...(organizationId ? { organizationId } : {}), ...(projectId ? { projectId } : {}) }
}
