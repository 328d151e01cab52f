import type { CoreClient } from '../../client/core-client.ts'
import { findProjects } from '../../client/find-project.ts'
import type { LocalRepository } from '../../client/local-repository.ts'
import { httpsAddress } from '../../client/repository-key.ts'
import { cleanName, shorten } from '../../client/sanitize.ts'
import { UserError } from '../../client/user-error.ts'
import type { Project } from '../../core/projects/schema.ts'

/** Finds the only project with this repository or name. */
export async function findProject(core: CoreClient, wanted: string): Promise<Project> {
  const found = await findProjects(core, wanted)
  const [only, ...others] = found
  const asked = shorten(cleanName(wanted), 200)
  if (!only) {
    throw new UserError(
      `None of your projects has the repository ${asked}. ` +
        'Call create_project with its address, or list_projects to see your projects.',
    )
  }
  if (others.length > 0) {
    const ids = found.slice(0, 5).map(({ id }) => id)
    throw new UserError(`${found.length} projects match ${asked}. Pass the projectId of one: ${ids.join(', ')}.`)
  }
  return only
}

/** Says how to create a project for a checkout that has none. */
export function howToCreate(
  { mainRoot, remotes }: LocalRepository,
  then = 'suggest_tests with the same localPath',
): string {
  const [address = mainRoot] = remotes.flatMap((remote) => httpsAddress(remote) ?? [])
  return `create_project with repository ${shorten(cleanName(address), 500)}, then ${then}`
}
