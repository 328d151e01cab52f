import { type Context, requireUser } from '../context.ts'
import { notFound } from '../errors.ts'
import { ProjectEntity, type ProjectRow } from './entity.ts'
import { presentProject } from './present.ts'
import type { Project, ProjectDetail, ProjectRef } from './schema.ts'

/** Loads a project that the actor may see; somebody else's is as absent as one that never was. */
export async function getOwnProject(ctx: Context, projectId: string): Promise<Omit<ProjectRow, 'settings'>> {
  const row = await findOwnProject(ctx, projectId)
  if (!row) throw notFound('project', 'projects.getProjects lists yours.')
  return row
}

/** As `getOwnProject`, for those who have words of their own for what is missing. */
export async function findOwnProject(ctx: Context, projectId: string): Promise<Omit<ProjectRow, 'settings'> | null> {
  const actor = requireUser(ctx)
  if (actor.projectId && actor.projectId !== projectId) return null
  return ctx.db.getRepository(ProjectEntity).findOneBy({ id: projectId, userId: actor.userId })
}

/** The project with its latest test runs. */
export async function getProject(ctx: Context, input: ProjectRef): Promise<ProjectDetail> {
  return { ...presentProject(await getOwnProject(ctx, input.projectId)), testRuns: [] }
}

/** Every project of the actor, newest first. */
export async function getProjects(ctx: Context): Promise<Project[]> {
  const rows = await ctx.db.getRepository(ProjectEntity).find({ where: ownProjects(ctx), order: { id: 'DESC' } })
  return rows.map(presentProject)
}

/** The condition under which a project is the actor's. */
export function ownProjects(ctx: Context) {
  const { userId, projectId } = requireUser(ctx)
  return { userId, ...(projectId ? { id: projectId } : {}) }
}
