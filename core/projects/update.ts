import { type Context, inTransaction } from '../base/context.ts'
import { forbidden } from '../base/errors.ts'
import { isAtLeast } from '../identity/organizations/roles.ts'
import { announceProject } from './announce.ts'
import { ProjectEntity } from './entity.ts'
import { lockOwnProject, type OwnProject } from './get.ts'
import { presentProject } from './present.ts'
import { acceptBranch, chooseRepository } from './repository.ts'
import type { Project, UpdateProject } from './schema.ts'
import { loadProjectSettings } from './settings.ts'

/** Changes the given fields of a project. An update without changes is not announced. */
export async function updateProject(ctx: Context, input: UpdateProject): Promise<Project> {
  return inTransaction(ctx, async (ctx) => {
    const before = await lockOwnProject(ctx, input.projectId, 'member')
    if (input.repository !== undefined) await requireRightToMove(ctx, before, input.repository)
    const { name, description, language, framework } = input
    const updatedAt = ctx.now()
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(language === undefined ? {} : { language }),
      ...(framework === undefined ? {} : { framework }),
      ...(input.repository === undefined ? {} : await chooseRepository(ctx, before, input.repository)),
      ...(input.branch === undefined ? {} : { branch: acceptBranch(input.branch) }),
    }
    if (Object.entries(change).every(([name, value]) => Reflect.get(before, name) === value))
      return presentProject(ctx, before)
    await ctx.db.getRepository(ProjectEntity).update({ id: before.id }, { ...change, updatedAt })
    const after = { ...before, ...change, updatedAt }
    await announceProject(ctx, 'project.updated', after)
    return presentProject(ctx, after)
  })
}

/**
 * The code of a run gets the project's secret variables, so a user who changes the repository could read them.
 *
 * @throws AppError 403
 */
async function requireRightToMove(ctx: Context, project: OwnProject, repository: string): Promise<void> {
  if (repository === project.repository || isAtLeast(project.role, 'admin')) return
  const { environment } = await loadProjectSettings(ctx, project.id)
  if (environment.length === 0) return
  throw forbidden(
    'The project has secret environment variables, which the code of another repository could read. ' +
      'Changing the repository requires the role admin. Ask an admin to do it or to remove the variables.',
  )
}
