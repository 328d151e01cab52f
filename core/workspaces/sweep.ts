import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../base/context.ts'
import { removeTree } from './directories.ts'

/**
 * Removes the folders below `directory` that no worker uses any more. A name is the id of a record and the attempt,
 * `01J….2`.
 */
export async function sweepFolders(
  directory: string,
  log: Context['log'],
  isWorkedOn: (id: string, attempt: number) => Promise<boolean>,
): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const [, id, attempt] = /^(\w+)\.(\d+)$/.exec(name) ?? []
    if (id && (await isWorkedOn(id, Number(attempt)))) continue
    await removeTree(join(directory, name)).catch((error: unknown) =>
      log.warn({ err: error, name }, 'cannot remove a folder that is not in use'),
    )
  }
}
