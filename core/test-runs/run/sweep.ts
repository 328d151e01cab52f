import type { Context } from '../../base/context.ts'
import { runsDirectory } from '../../workspaces/directories.ts'
import { sweepFolders } from '../../workspaces/sweep.ts'
import { TestRunEntity } from '../entity.ts'

/** Removes the folders of runs whose worker on this machine stopped unexpectedly. */
export function sweepRuns({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): Promise<void> {
  const runs = db.getRepository(TestRunEntity)
  return sweepFolders(runsDirectory(config), log, (id, attempt) => runs.existsBy({ id, attempt, status: 'RUNNING' }))
}
