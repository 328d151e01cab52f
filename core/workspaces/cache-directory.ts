import { join } from 'node:path'
import type { Config } from '../config.ts'

/** Where a project's clone and cached facts live on this machine. All of it can be lost at any time. */
export function cacheDirectory(config: Config, projectId: string): string {
  return join(config.dataDir, 'cache', projectId)
}
