import type { Context } from '../base/context.ts'
import { emit } from '../events/emit.ts'
import type { ProjectRow } from './entity.ts'

type Announced = Omit<ProjectRow, 'settings'>

/** Tells subscribers what has become of a project, in the transaction that does it. */
export function announceProject(
  tx: Pick<Context, 'db' | 'now'>,
  type: 'project.created' | 'project.updated' | 'project.deleted',
  project: Announced,
): Promise<void> {
  return emit(tx, { type, project, data: presentFor[type](project) })
}

/** Settings are left out, the names of secrets with them. */
const presentCreated = ({ id, name, repository, branch, language, framework, createdAt }: Announced) => {
  return { id, name, repository, branch, language, framework, createdAt: createdAt.toISOString() }
}

const presentFor = {
  'project.created': presentCreated,
  'project.updated': (project: Announced) => ({
    ...presentCreated(project),
    updatedAt: project.updatedAt.toISOString(),
  }),
  'project.deleted': ({ id }: Announced) => ({ id }),
}
