import { join } from 'node:path'
import { In } from 'typeorm'
import { listIfThere } from '../../engines/source/files.ts'
import type { Context } from '../base/context.ts'
import type { Config } from '../config.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { removeTree } from './directories.ts'

export const cachesDirectory = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'cache')

/** Returns the folder of a project's clone, installs and cached facts. It may be deleted at any time. */
export function cacheDirectory(config: Pick<Config, 'dataDir'>, projectId: string): string {
  return join(cachesDirectory(config), projectId)
}

/** Deletes the caches of deleted projects, which work that had not noticed the deletion has made again. */
export async function deleteCachesOfNoProject({
  config,
  db,
  log,
}: Pick<Context, 'config' | 'db' | 'log'>): Promise<void> {
  const ids = await listIfThere(cachesDirectory(config))
  const projects = await db.getRepository(ProjectEntity).find({ where: { id: In(ids) }, select: { id: true } })
  const known = new Set(projects.map(({ id }) => id))
  for (const id of ids.filter((one) => !known.has(one))) {
    await removeTree(cacheDirectory(config, id)).catch((error: unknown) =>
      log.warn({ err: error, projectId: id }, 'cannot delete the cache of a deleted project'),
    )
  }
}
