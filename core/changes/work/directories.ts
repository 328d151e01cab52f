import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Context } from '../../base/context.ts'
import { sweepFolders } from '../../workspaces/sweep.ts'
import { ChangeEntity } from '../entity.ts'

const changesDirectory = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'changes')

/** Returns the folder in which one attempt works. It is deleted at the end of the attempt. */
export const changeDirectory = (config: Pick<Config, 'dataDir'>, id: string, attempt: number) =>
  join(changesDirectory(config), `${id}.${attempt}`)

/** Removes the folders of changes whose worker on this machine stopped unexpectedly. */
export function sweepChanges({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): Promise<void> {
  const changes = db.getRepository(ChangeEntity)
  return sweepFolders(changesDirectory(config), log, (id, attempt) =>
    changes.existsBy({ id, attempt, status: 'running' }),
  )
}
