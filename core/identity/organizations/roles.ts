import { type Context, requireUser } from '../../base/context.ts'
import { forbidden } from '../../base/errors.ts'
import { MembershipEntity } from './entity.ts'
import { Role } from './schema.ts'

/** Whether a role has at least the rights of another. */
export function isAtLeast(role: Role, least: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(least)
}

/** @throws AppError 403 that names what is missing */
export function requireRole(role: Role, least: Role): void {
  if (!isAtLeast(role, least)) {
    throw forbidden(
      `This needs the role ${least} in the organization; yours is ${role}. Ask one of its ${least === 'owner' ? 'owners' : 'admins'}.`,
    )
  }
}

/** The caller's role in an organization at this moment; undefined for those who must not know that it exists. */
export async function findRole(ctx: Context, organizationId: string): Promise<Role | undefined> {
  const caller = requireUser(ctx)
  // A token that is confined to a project, or to another organization, sees none of this one.
  if (caller.projectId || (caller.organizationId && caller.organizationId !== organizationId)) return undefined
  const membership = await ctx.db.getRepository(MembershipEntity).findOneBy({ organizationId, userId: caller.userId })
  return membership?.role
}
