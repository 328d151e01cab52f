import { projectUrl, type Site } from '../base/page-urls.ts'
import type { ProjectRow } from './entity.ts'
import type { Project } from './schema.ts'

export type PresentedProject = Omit<ProjectRow, 'settings' | 'repositoryUserId'>

/** Returns a project without its settings. */
export function presentProject(site: Site, row: PresentedProject): Project {
  return {
    id: row.id,
    url: projectUrl(site, row.id),
    name: row.name,
    description: row.description,
    repository: row.repository,
    branch: row.branch,
    language: row.language,
    framework: row.framework,
    userId: row.userId,
    organizationId: row.organizationId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
