import { join } from 'node:path'
import type { Config } from '../config.ts'

/** Returns the folder of a project's clone, installs and cached facts. It may be deleted at any time. */
export function cacheDirectory(config: Config, projectId: string): string {
  return join(config.dataDir, 'cache', projectId)
}
