import { type Context, requireUser } from '../../base/context.ts'
import { forbidden } from '../../base/errors.ts'
import { MembershipEntity } from './entity.ts'
import { Role } from './schema.ts'

/** Returns whether a role has at least the rights of another. */
export function isAtLeast(role: Role, minRole: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(minRole)
}

/** @throws AppError 403 that names the required role */
export function requireRole(role: Role, minRole: Role): void {
  if (!isAtLeast(role, minRole)) {
    throw forbidden(
      `This call requires the role ${minRole} in the organization, but your role is ${role}. Ask ${minRole === 'owner' ? 'an owner' : 'an admin'}.`,
    )
  }
}

/** Returns the caller's current role, or undefined if the caller must not know that the organization exists. */
export async function findRole(ctx: Context, organizationId: string): Promise<Role | undefined> {
  const caller = requireUser(ctx)
  // A token that is restricted to a project or to another organization has no access.
  if (caller.projectId || (caller.organizationId && caller.organizationId !== organizationId)) return undefined
  const membership = await ctx.db.getRepository(MembershipEntity).findOneBy({ organizationId, userId: caller.userId })
  return membership?.role
}
