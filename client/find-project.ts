import type { Project } from '../core/projects/schema.ts'
import type { CoreClient } from './core-client.ts'
import type { LocalRepository } from './local-repository.ts'
import { isSameRepository } from './repository-key.ts'

/** Finds projects by the address of their repository in any spelling, else by their name. */
export async function findProjects(core: CoreClient, wanted: string): Promise<Project[]> {
  const projects = await core.projects.getProjects.query()
  const byAddress = projects.filter(({ repository }) => isSameRepository(repository, wanted))
  if (byAddress.length > 0) return byAddress
  const name = wanted.trim().toLowerCase()
  return projects.filter((project) => project.name.toLowerCase() === name)
}

/**
 * Finds a project of the same repository, because adding it a second time is usually a mistake. A given `name` or
 * `branch` must match too.
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
 * Finds the project of a checkout: first by the path of its repository's main working tree, then by its own path, then by
 * its remotes, starting with origin. Of several projects it returns the newest.
 */
export async function findLocalProject(
  core: CoreClient,
  repository: LocalRepository,
  signal?: AbortSignal,
): Promise<Project | undefined> {
  const newestFirst = await core.projects.getProjects.query(undefined, signal ? { signal } : {})
  for (const address of addressesOf(repository)) {
    const found = newestFirst.find((project) => isSameRepository(project.repository, address))
    if (found) return found
  }
  return undefined
}

/** Returns everything that a project may have as the repository of a checkout. */
export const addressesOf = ({ root, mainRoot, remotes }: LocalRepository): string[] => [mainRoot, root, ...remotes]
