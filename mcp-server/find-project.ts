import type { Project } from '../core/projects/schema.ts'
import type { CoreClient } from './client.ts'
import { isSameRepository } from './repository-key.ts'
import { cleanName, shorten } from './sanitize.ts'
import { ToolError } from './tools/tool.ts'

/** The one project whose repository is any of `addresses`, or whose name is the first of them. */
export async function findProject(core: CoreClient, addresses: readonly string[]): Promise<Project> {
  const projects = await core.projects.getProjects.query()
  const name = addresses[0]?.trim().toLowerCase()
  const byAddress = projects.filter(({ repository }) => addresses.some((one) => isSameRepository(repository, one)))
  const found = byAddress.length > 0 ? byAddress : projects.filter((project) => project.name.toLowerCase() === name)
  const [only, ...others] = found
  const asked = addresses
    .slice(0, 3)
    .map((address) => shorten(cleanName(address), 200))
    .join(' or ')
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
