import { newId } from '../ids.ts'
import { type Context, requireUser } from '../context.ts'
import { forbidden } from '../errors.ts'
import { getOwnOrganization } from '../organizations/get.ts'
import { ProjectEntity } from './entity.ts'
import { presentProject } from './present.ts'
import { acceptBranch, acceptRepository, defaultBranch } from './repository.ts'
import type { CreateProject, Project } from './schema.ts'

/** Registers a repository. It need not be reachable yet: the first analysis says what is wrong with it. */
export async function createProject(ctx: Context, input: CreateProject): Promise<Project> {
  const actor = requireUser(ctx)
  if (actor.projectId) throw forbidden('Your token is confined to one project, so it cannot create another.')
  if (actor.organizationId && input.organizationId !== actor.organizationId) {
    throw forbidden(`Your token is confined to one organization; pass organizationId ${actor.organizationId}.`)
  }
  if (input.organizationId !== undefined) await getOwnOrganization(ctx, input.organizationId, 'member')
  const repository = acceptRepository(ctx, input.repository)
  const branch = input.branch === undefined ? await defaultBranch(ctx, repository) : acceptBranch(input.branch)
  const now = ctx.now()
  const row = {
    id: newId(now),
    name: input.name,
    description: input.description ?? null,
    repository,
    branch,
    language: input.language ?? null,
    framework: input.framework ?? null,
    userId: actor.userId,
    organizationId: input.organizationId ?? null,
    createdAt: now,
    updatedAt: now,
  }
  await ctx.db.getRepository(ProjectEntity).insert({ ...row, settings: {} })
  return presentProject(row)
}
