import { cacheDirectory } from '../analysis/cache-directory.ts'
import type { Context } from '../context.ts'
import { rm } from 'node:fs/promises'
import { ProjectEntity } from './entity.ts'
import { getOwnProject } from './get.ts'
import type { ProjectRef } from './schema.ts'

/** Deletes the project with everything that belongs to it. An analysis that is running stops by itself. */
export async function deleteProject(ctx: Context, input: ProjectRef): Promise<{ message: string }> {
  const project = await getOwnProject(ctx, input.projectId)
  await ctx.db.getRepository(ProjectEntity).delete({ id: project.id })
  await rm(cacheDirectory(ctx.config, project.id), { recursive: true, force: true })
  return { message: `Project ${project.name} is deleted.` }
}
