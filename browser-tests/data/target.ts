import type { App } from '../../core/app.ts'
import type { ProjectRow } from '../../core/projects/entity.ts'
import type { Random } from './random.ts'
import type { Repository } from './repositories.ts'
import type { Sources } from './sources.ts'

/** The application that receives the data. Its server must be running. */
export type Target = Pick<App, 'dataSource' | 'services'> & { url: string }

/** A project with everything that its records are made of. */
export interface Scene {
  app: Target
  project: ProjectRow
  repository: Repository
  sources: Sources
  random: Random
  now: Date
  /** Whether it is the first of the filled projects. */
  isFirst: boolean
  /** The ids of the users who did something in the project. */
  userIds: readonly string[]
}
