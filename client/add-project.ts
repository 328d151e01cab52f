import { basename } from 'node:path'
import type { Project } from '../core/projects/schema.ts'
import { type CoreClient, isRefusal } from './core-client.ts'
import { findLocalProject } from './find-project.ts'
import type { LocalRepository } from './local-repository.ts'

/** Why a server does not accept a folder of this machine as a repository: it is not in local mode, or not for this token. */
const refusals = ['BAD_REQUEST', 'FORBIDDEN']

/**
 * Finds the project of a checkout. A server of this machine that may read the repository gets a project for it if there
 * is none.
 *
 * @returns undefined if there is no project and the server does not accept the folder as one
 */
export async function findOrAddProject(
  core: CoreClient,
  repository: LocalRepository,
  signal?: AbortSignal,
): Promise<{ project: Project; isNew: boolean } | undefined> {
  const known = await findLocalProject(core, repository, signal)
  if (known) return { project: known, isNew: false }
  const { mainRoot } = repository
  try {
    const input = { name: basename(mainRoot), repository: mainRoot }
    const project = await core.projects.createProject.mutate(input, signal ? { signal } : {})
    return { project, isNew: true }
  } catch (error) {
    if (refusals.some((code) => isRefusal(error, code))) return undefined
    throw error
  }
}
