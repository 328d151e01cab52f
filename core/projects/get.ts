import { type FindOptionsWhere, Raw } from 'typeorm'
import { type Context, requireUser } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { queryPrepared } from '../base/prepared.ts'
import { MembershipEntity } from '../identity/organizations/entity.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { ProjectEntity, type ProjectRow } from './entity.ts'
import { type PresentedProject, presentProject } from './present.ts'
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

/**
 * The ids of a caller's projects. An index finds each of the two kinds; one condition for both would read all projects.
 *
 * @param of - placeholders of the caller and of the organizations that the projects must all belong to, if there are any
 */
const ownIds = (of: { caller: string; organizations: string }) => `
  SELECT id FROM projects
   WHERE user_id = ${of.caller} AND organization_id IS NULL AND cardinality(CAST(${of.organizations} AS text[])) = 0
   UNION ALL
  SELECT p.id FROM memberships m JOIN projects p ON p.organization_id = m.organization_id
   WHERE m.user_id = ${of.caller} AND p.organization_id = ALL (CAST(${of.organizations} AS text[]))`

/** Parameters: the caller, organizations that the projects must all belong to, and the only project or null. */
export const listOwnProjects = {
  name: 'list-own-projects',
  text: `
    SELECT id, name, description, repository, branch, language, framework, user_id AS "userId",
           organization_id AS "organizationId", created_at AS "createdAt", updated_at AS "updatedAt"
      FROM projects
     WHERE id IN (${ownIds({ caller: '$1', organizations: '$2' })}) AND ($3::text IS NULL OR id = $3)
     ORDER BY id DESC`,
}

/** Lists the projects of the caller, personal ones and those of organizations, newest first. */
export async function getProjects(ctx: Context, input?: ListProjects): Promise<Project[]> {
  const { userId, projectId } = requireUser(ctx)
  const organizations = onlyIn(ctx, input?.organizationId)
  const rows = await queryPrepared<PresentedProject>(ctx.db, listOwnProjects, [userId, organizations, projectId])
  return rows.map((row) => presentProject(ctx, row))
}

/**
 * Returns the condition of the projects of the caller.
 *
 * @param organizationId - only projects of this organization
 */
export function ownProjects(ctx: Context, organizationId?: string): FindOptionsWhere<ProjectRow> {
  const { userId, projectId } = requireUser(ctx)
  const given = { callerId: userId, callerOrganizations: onlyIn(ctx, organizationId), callerProject: projectId }
  const ids = ownIds({ caller: ':callerId', organizations: ':callerOrganizations' })
  return {
    id: Raw(
      (column) =>
        `${column} IN (${ids}) AND (CAST(:callerProject AS text) IS NULL OR ${column} = CAST(:callerProject AS text))`,
      given,
    ),
  }
}

/** The organization that the token is restricted to, and the one that is asked for. */
const onlyIn = (ctx: Context, organizationId: string | undefined) =>
  [requireUser(ctx).organizationId, organizationId].filter((id) => id != null)
