import { join } from 'node:path'
import type { Config } from '../config.ts'

export const cachesDirectory = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'cache')

/** Returns the folder of a project's clone, installs and cached facts. It may be deleted at any time. */
export function cacheDirectory(config: Pick<Config, 'dataDir'>, projectId: string): string {
  return join(cachesDirectory(config), projectId)
}
