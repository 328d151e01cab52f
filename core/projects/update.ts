import { type Context, inTransaction } from '../context.ts'
import { ProjectEntity } from './entity.ts'
import { lockOwnProject } from './get.ts'
import { presentProject } from './present.ts'
import { acceptBranch, chooseRepository } from './repository.ts'
import type { Project, UpdateProject } from './schema.ts'

/** Changes the fields given and leaves the others. */
export async function updateProject(ctx: Context, input: UpdateProject): Promise<Project> {
  return inTransaction(ctx, async (ctx) => {
    const before = await lockOwnProject(ctx, input.projectId, 'member')
    const { name, description, language, framework } = input
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(language === undefined ? {} : { language }),
      ...(framework === undefined ? {} : { framework }),
      ...(input.repository === undefined ? {} : await chooseRepository(ctx, before, input.repository)),
      ...(input.branch === undefined ? {} : { branch: acceptBranch(input.branch) }),
      updatedAt: ctx.now(),
    }
    await ctx.db.getRepository(ProjectEntity).update({ id: before.id }, change)
    return presentProject({ ...before, ...change })
  })
}
