import type { Context } from '../base/context.ts'
import type { Site } from '../base/page-urls.ts'
import { emit } from '../events/emit.ts'
import type { ProjectRow } from './entity.ts'

type Announced = Omit<ProjectRow, 'settings'>

/** Announces a change of a project to its subscribers, in the transaction of the change. */
export function announceProject(
  tx: Pick<Context, 'db' | 'now'> & Site,
  type: 'project.created' | 'project.updated' | 'project.deleted',
  project: Announced,
): Promise<void> {
  if (type === 'project.deleted') return emit(tx, { type, project, data: { id: project.id } })
  if (type === 'project.created') return emit(tx, { type, project, data: presentCreated(project) })
  return emit(tx, { type, project, data: presentUpdated(project) })
}

/** The data of `project.created`: without the settings, and so without the names of secrets. */
export const presentCreated = ({ id, name, repository, branch, language, framework, createdAt }: Announced) => {
  return { id, name, repository, branch, language, framework, createdAt: createdAt.toISOString() }
}

/** The data of `project.updated`. */
export const presentUpdated = (project: Announced) => ({
  ...presentCreated(project),
  updatedAt: project.updatedAt.toISOString(),
})
