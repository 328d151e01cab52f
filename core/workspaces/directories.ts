import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isErrno } from '../../engines/source/files.ts'
import type { Config } from '../config.ts'

export const runsDirectory = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'runs')

/** Where one run works on this machine. All of it is gone when the run has ended. */
export const runDirectory = (config: Pick<Config, 'dataDir'>, runId: string) => join(runsDirectory(config), runId)

/** Makes the folders below `directory` and returns their paths. */
export async function makeFolders<Name extends string>(directory: string, names: readonly Name[]) {
  const folders = {} as Record<Name, string>
  for (const name of names) {
    folders[name] = join(directory, name)
    await mkdir(folders[name], { recursive: true, mode: 0o700 })
  }
  return folders
}

/** Removes a tree also where what wrote it took its own rights away. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    await openUp(path)
    // It goes down step by step, where a path may be longer than one may be.
    await promisify(execFile)('rm', ['-rf', '--', path])
  }
}

/** As far down as a path reaches. What was begun to be removed may vanish while it is looked at. */
async function openUp(path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isDirectory()) return
    await chmod(path, 0o700)
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (entry.isDirectory()) await openUp(join(path, entry.name))
    }
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) throw error
  }
}
