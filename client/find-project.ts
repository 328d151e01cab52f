import type { Project } from '../core/projects/schema.ts'
import type { CoreClient } from './core-client.ts'
import type { LocalRepository } from './local-repository.ts'
import { isSameRepository } from './repository-key.ts'

/** The projects whose repository is `wanted`, in any spelling; where there is none, those of that name. */
export async function findProjects(core: CoreClient, wanted: string): Promise<Project[]> {
  const projects = await core.projects.getProjects.query()
  const byAddress = projects.filter(({ repository }) => isSameRepository(repository, wanted))
  if (byAddress.length > 0) return byAddress
  const name = wanted.trim().toLowerCase()
  return projects.filter((project) => project.name.toLowerCase() === name)
}

/**
 * The project that a new one would repeat, which is more often a mistake than a wish: that of the same repository,
 * unless `name` or `branch`, as they were given, make it another.
 */
export async function findTwin(
  core: CoreClient,
  wanted: { repository: string; name?: string | undefined; branch?: string | undefined },
): Promise<Project | undefined> {
  const projects = await core.projects.getProjects.query()
  return projects.find(
    ({ repository, name, branch }) =>
      isSameRepository(repository, wanted.repository) &&
      (wanted.name === undefined || wanted.name.trim().toLowerCase() === name.toLowerCase()) &&
      (wanted.branch === undefined || wanted.branch === branch),
  )
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
