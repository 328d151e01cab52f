import { execFile } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  isBoundedFolder,
  makeBoundedFolder,
  unmountBoundedFolder,
  whyUnbounded,
} from '../../engines/sandbox/bounded-folder.ts'
import type { Executor } from '../../engines/sandbox/executor.ts'
import { isErrno } from '../../engines/source/files.ts'
import type { Config } from '../config.ts'

export const runsDirectory = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'runs')

/** Returns the folder in which a run works. It is deleted at the end of the run. */
export const runDirectory = (config: Pick<Config, 'dataDir'>, runId: string) => join(runsDirectory(config), runId)

/** What the checkout needs besides what commands write, and what the file system itself needs. */
const roomFactor = 2
const ownBytes = 64 * 2 ** 20

/**
 * Creates the folder of a run or verification, with room for the files of some checkouts, which the kernel limits if it can. Commands are stopped before that by
 * their own limits, unless they are faster than we look.
 */
export async function makeWorkDirectory(
  { runs, dataDir }: Pick<Config, 'runs' | 'dataDir'>,
  directory: string,
  executor: Executor,
  checkouts = 1,
): Promise<void> {
  if (executor.name === 'local' || runs.quota === 'off' || (await whyUnbounded(dataDir)) !== null) {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return
  }
  const bytes = checkouts * roomFactor * runs.diskBytes + ownBytes
  await makeBoundedFolder(directory, bytes, checkouts * roomFactor * runs.files)
}

/** Creates the folders below `directory` and returns their paths. */
export async function makeFolders<Name extends string>(directory: string, names: readonly Name[]) {
  const folders = {} as Record<Name, string>
  for (const name of names) {
    folders[name] = join(directory, name)
    await mkdir(folders[name], { recursive: true, mode: 0o700 })
  }
  return folders
}

/** Creates a folder, unless it exists, with the owner of another: the sandbox shows a layer by the owner of its folders. */
export async function makeFolderLike(path: string, model: string): Promise<void> {
  await mkdir(path, { recursive: true })
  const { uid, gid } = await lstat(model)
  if (process.getuid?.() === 0) await chown(path, uid, gid)
}

/** Copies a tree with everything that its files have. */
export async function copyTree(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', '--', from, to])
}

/** Removes the bits by which a program runs as its owner. Sandboxes cannot set them; the executor `local` can. */
export async function removeSetuidBits(path: string): Promise<void> {
  const marked = ['(', '-perm', '-4000', '-o', '-perm', '-2000', ')', '!', '-type', 'l']
  await promisify(execFile)('find', [path, ...marked, '-exec', 'chmod', 'ug-s', '{}', '+'])
}

const maxBusyAttempts = 5
const busyPauseMs = 100

/** Removes a tree, even if its folders are not writable, or if it is a file system of its own. */
export async function removeTree(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await removeUnmounted(path)
    } catch (error) {
      // A worker that was killed has left a `mount` that finishes only now.
      if (attempt === maxBusyAttempts || !(await isBoundedFolder(path).catch(() => false))) throw error
      await sleep(attempt * busyPauseMs)
    }
  }
}

async function removeUnmounted(path: string): Promise<void> {
  if (await isBoundedFolder(path).catch(() => false)) {
    // Emptied first, because the kernel would write to the disk what nobody needs.
    for (const name of await readdir(path)) await removeTree(join(path, name))
    await unmountBoundedFolder(path)
  }
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    await openUp(path)
    // `rm` descends folder by folder, so that it can also remove paths longer than PATH_MAX.
    await promisify(execFile)('rm', ['-rf', '--', path])
  }
}

/** Makes the folders of a tree writable. Ignores folders that disappear meanwhile, and paths that are too long. */
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
