import { requireRoom } from '../identity/organizations/plan.ts'
import { newId } from '../base/ids.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { forbidden } from '../base/errors.ts'
import { getOwnOrganization, lockOwnOrganization } from '../identity/organizations/get.ts'
import { announceProject } from './announce.ts'
import { ProjectEntity } from './entity.ts'
import { presentProject } from './present.ts'
import { acceptBranch, acceptRepository, defaultBranch, repositoryReader } from './repository.ts'
import type { CreateProject, Project } from './schema.ts'

/**
 * Creates a project for a repository. The repository need not be reachable yet: the first analysis reports problems. A
 * token that is restricted to an organization creates the project in that organization.
 */
export async function createProject(ctx: Context, input: CreateProject): Promise<Project> {
  const actor = requireUser(ctx)
  if (actor.projectId) {
    throw forbidden('Your token is restricted to one project and cannot create another.', {
      hint: { kind: 'confined', to: 'project' },
    })
  }
  const organizationId = input.organizationId ?? actor.organizationId ?? undefined
  if (actor.organizationId && organizationId !== actor.organizationId) {
    throw forbidden('Your token is restricted to another organization. Leave out organizationId.', {
      hint: { kind: 'confined', to: 'organization' },
    })
  }
  if (organizationId !== undefined) await getOwnOrganization(ctx, organizationId, 'member')
  const repository = await acceptRepository(ctx, input.repository)
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
    organizationId: organizationId ?? null,
    repositoryUserId: repositoryReader(actor),
    createdAt: now,
    updatedAt: now,
  }
  return inTransaction(ctx, async (ctx) => {
    // Checked again under a lock, because the request to the repository took time.
    if (organizationId !== undefined) {
      await lockOwnOrganization(ctx, organizationId, 'member')
      await requireRoom(ctx, organizationId, 'projects')
    }
    await ctx.db.getRepository(ProjectEntity).insert({ ...row, settings: {} })
    await announceProject(ctx, 'project.created', row)
    return presentProject(ctx, row)
  })
}
