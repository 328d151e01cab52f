import { rm } from 'node:fs/promises'
import type { Context } from '../base/context.ts'
import { projectSnapshots } from '../snapshots/directories.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'

/** Deletes the clone, installs, cached facts and snapshots of a deleted project. */
export async function deleteFilesOf({ config }: Pick<Context, 'config'>, projectId: string): Promise<void> {
  for (const folder of [cacheDirectory(config, projectId), projectSnapshots(config, projectId)]) {
    // Work that has not noticed the deletion yet may still create files.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
