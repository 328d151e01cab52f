import { type FindOptionsWhere, IsNull, Raw } from 'typeorm'
import { type Context, requireUser } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { MembershipEntity } from '../identity/organizations/entity.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { ProjectEntity, type ProjectRow } from './entity.ts'
import { presentProject } from './present.ts'
import type { ListProjects, Project } from './schema.ts'

/** A project as it is stored, and what the caller may do with it: whose own it is may do everything. */
export type OwnProject = Omit<ProjectRow, 'settings'> & { role: Role }

/**
 * Loads a project that the caller may see; somebody else's is as absent as one that never was.
 *
 * @throws AppError 404; 403 where the caller's role in the organization is less than `least`
 */
export async function getOwnProject(ctx: Context, projectId: string, least: Role): Promise<OwnProject> {
  const row = await findOwnProject(ctx, projectId)
  if (!row)
    throw notFound('project', 'projects.getProjects lists your projects.', procedureHint('projects.getProjects'))
  requireRole(row.role, least)
  return row
}

/**
 * As `getOwnProject`, in a transaction; until that ends nobody deletes the project or takes the caller's role away.
 *
 * @param strength - `UPDATE` for who changes the project; `KEY SHARE` for who only relies on it
 */
export async function lockOwnProject(
  ctx: Context,
  projectId: string,
  least: Role,
  strength: 'UPDATE' | 'KEY SHARE' = 'UPDATE',
): Promise<OwnProject> {
  const { organizationId } = await getOwnProject(ctx, projectId, least)
  // The organization first, as everywhere.
  await ctx.db.query('SELECT FROM organizations WHERE id = $1 FOR KEY SHARE', [organizationId])
  await ctx.db.query(`SELECT FROM projects WHERE id = $1 FOR ${strength}`, [projectId])
  return getOwnProject(ctx, projectId, least)
}

/** As `getOwnProject`, for those who have words of their own for what is missing. */
export async function findOwnProject(ctx: Context, projectId: string): Promise<OwnProject | null> {
  const caller = requireUser(ctx)
  if (caller.projectId && caller.projectId !== projectId) return null
  const row = await ctx.db.getRepository(ProjectEntity).findOneBy({ id: projectId })
  if (!row || (caller.organizationId && caller.organizationId !== row.organizationId)) return null
  if (row.organizationId === null) return row.userId === caller.userId ? { ...row, role: 'owner' } : null
  const membership = await ctx.db
    .getRepository(MembershipEntity)
    .findOneBy({ organizationId: row.organizationId, userId: caller.userId })
  return membership && { ...row, role: membership.role }
}

/** Every project of the caller's, personal ones and those of organizations, newest first. */
export async function getProjects(ctx: Context, input?: ListProjects): Promise<Project[]> {
  const where = ownProjects(ctx, input?.organizationId)
  const rows = await ctx.db.getRepository(ProjectEntity).find({ where, order: { id: 'DESC' } })
  return rows.map(presentProject)
}

/**
 * The conditions under which a project is the caller's: any of them.
 *
 * @param organizationId - those of this organization alone
 */
export function ownProjects(ctx: Context, organizationId?: string): FindOptionsWhere<ProjectRow>[] {
  const caller = requireUser(ctx)
  const confined = caller.projectId ? { id: caller.projectId } : {}
  const only = [caller.organizationId, organizationId].filter((id) => id != null)
  // In the same statement: lists are what is asked for most.
  const member = 'IN (SELECT organization_id FROM memberships WHERE user_id = :memberId)'
  const shared = {
    organizationId: Raw((column) => `(${column} ${member} AND ${column} = ALL (:only))`, {
      memberId: caller.userId,
      only,
    }),
    ...confined,
  }
  return only.length > 0 ? [shared] : [{ userId: caller.userId, organizationId: IsNull(), ...confined }, shared]
}
