import type { Context } from '../context.ts'
import { ProjectEntity } from './entity.ts'
import { getOwnProject } from './get.ts'
import { presentProject } from './present.ts'
import { acceptBranch, acceptRepository } from './repository.ts'
import type { Project, UpdateProject } from './schema.ts'

/** Changes the fields given and leaves the others. */
export async function updateProject(ctx: Context, input: UpdateProject): Promise<Project> {
  const { role: _role, ...before } = await getOwnProject(ctx, input.projectId, 'member')
  const { name, description, language, framework } = input
  const after = {
    ...before,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(language === undefined ? {} : { language }),
    ...(framework === undefined ? {} : { framework }),
    ...(input.repository === undefined ? {} : { repository: acceptRepository(ctx, input.repository) }),
    ...(input.branch === undefined ? {} : { branch: acceptBranch(input.branch) }),
    updatedAt: ctx.now(),
  }
  await ctx.db.getRepository(ProjectEntity).update({ id: before.id }, after)
  return presentProject(after)
}
