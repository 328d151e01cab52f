import type { Project } from '../core/projects/schema.ts'
import type { CoreClient } from './client.ts'
import type { LocalRepository } from './local-repository.ts'
import { httpsAddress, isSameRepository } from './repository-key.ts'
import { cleanName, shorten } from './sanitize.ts'
import { ToolError } from './tools/tool.ts'

/** The one project whose repository is `wanted`, or whose name that is. */
export async function findProject(core: CoreClient, wanted: string): Promise<Project> {
  const projects = await core.projects.getProjects.query()
  const name = wanted.trim().toLowerCase()
  const byAddress = projects.filter(({ repository }) => isSameRepository(repository, wanted))
  const found = byAddress.length > 0 ? byAddress : projects.filter((project) => project.name.toLowerCase() === name)
  const [only, ...others] = found
  const asked = shorten(cleanName(wanted), 200)
  if (!only) {
    throw new ToolError(
      `None of your projects has the repository ${asked}. ` +
        'Call create_project with its address, or list_projects to see what there is.',
    )
  }
  if (others.length > 0) {
    const ids = found.slice(0, 5).map(({ id }) => id)
    throw new ToolError(`${found.length} projects match ${asked}. Pass the projectId of one: ${ids.join(', ')}.`)
  }
  return only
}

/**
 * The project of a checkout: the one of its path before those of its remotes, origin's first; among several the newest,
 * since what is analysed is the checkout, whichever of them it is.
 */
export async function findLocalProject(
  core: CoreClient,
  { root, remotes }: LocalRepository,
  signal?: AbortSignal,
): Promise<Project | undefined> {
  const newestFirst = await core.projects.getProjects.query(undefined, signal ? { signal } : {})
  for (const address of [root, ...remotes]) {
    const found = newestFirst.find(({ repository }) => isSameRepository(repository, address))
    if (found) return found
  }
  return undefined
}

/** What to call for a checkout that no project knows. */
export function howToCreate({ root, remotes }: LocalRepository): string {
  const [address = root] = remotes.flatMap((remote) => httpsAddress(remote) ?? [])
  return `create_project with repository ${shorten(cleanName(address), 500)}, then suggest_tests with the same localPath`
}
