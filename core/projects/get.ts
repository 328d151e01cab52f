import { type FindOptionsWhere, IsNull, Raw } from 'typeorm'
import { type Context, requireUser } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { MembershipEntity } from '../identity/organizations/entity.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { ProjectEntity, type ProjectRow } from './entity.ts'
import { presentProject } from './present.ts'
import type { ListProjects, Project } from './schema.ts'

/** A project with the role of the caller. The role in a personal project is `owner`. */
export type OwnProject = Omit<ProjectRow, 'settings'> & { role: Role }

export const noSuchProject = () =>
  notFound('project', 'projects.getProjects lists your projects.', procedureHint('projects.getProjects'))

/**
 * Loads a project that the caller may see.
 *
 * @throws AppError 404, also for a project of another owner; 403 if the caller's role is below `minRole`
 */
export async function getOwnProject(ctx: Context, projectId: string, minRole: Role): Promise<OwnProject> {
  const row = await findOwnProject(ctx, projectId)
  if (!row) throw noSuchProject()
  requireRole(row.role, minRole)
  return row
}

/**
 * Loads a project like `getOwnProject` and locks it, with the caller's role, until the transaction ends.
 *
 * @param strength - `UPDATE` to change the project; `KEY SHARE` if it must only not be deleted
 */
export async function lockOwnProject(
  ctx: Context,
  projectId: string,
  minRole: Role,
  strength: 'UPDATE' | 'KEY SHARE' = 'UPDATE',
): Promise<OwnProject> {
  const { organizationId } = await getOwnProject(ctx, projectId, minRole)
  // The organization is locked first, as everywhere.
  await ctx.db.query('SELECT FROM organizations WHERE id = $1 FOR KEY SHARE', [organizationId])
  await ctx.db.query(`SELECT FROM projects WHERE id = $1 FOR ${strength}`, [projectId])
  return getOwnProject(ctx, projectId, minRole)
}

/** Loads a project like `getOwnProject`, but returns null instead of an error. */
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

/** Lists the projects of the caller, personal ones and those of organizations, newest first. */
export async function getProjects(ctx: Context, input?: ListProjects): Promise<Project[]> {
  const where = ownProjects(ctx, input?.organizationId)
  const rows = await ctx.db.getRepository(ProjectEntity).find({ where, order: { id: 'DESC' } })
  return rows.map((row) => presentProject(ctx, row))
}

/**
 * Returns conditions of which a project of the caller matches at least one.
 *
 * @param organizationId - only projects of this organization
 */
export function ownProjects(ctx: Context, organizationId?: string): FindOptionsWhere<ProjectRow>[] {
  const caller = requireUser(ctx)
  const confined = caller.projectId ? { id: caller.projectId } : {}
  const only = [caller.organizationId, organizationId].filter((id) => id != null)
  // A subquery saves a round trip, because lists are requested most often.
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
