import { access, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Files and folders with this prefix are no longer in use; `emptyTrash` deletes them. */
export const trashPrefix = 'trash-'

export function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
}

export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Returns undefined if the file does not exist or is deleted while it is read. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH')) return undefined
    throw error
  }
}

export async function listIfThere(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

/** Returns a name for files of this machine that no other call returns. It can be guessed: `node:crypto` takes 6 ms to load. */
export const uniqueName = () => `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

/** Moves the folder out of the way before it is deleted: a process that dies in between leaves no half of it. */
export async function discard(folder: string): Promise<void> {
  const trash = join(dirname(folder), `${trashPrefix}${basename(folder)}-${uniqueName()}`)
  try {
    await rename(folder, trash)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return
    throw error
  }
  // A git that is just being killed may still create a file in there.
  await rm(trash, { recursive: true, force: true, maxRetries: 10 })
}

/** Deletes what a process that died had begun to discard. */
export async function emptyTrash(directory: string): Promise<void> {
  const names = await listIfThere(directory)
  await Promise.all(
    names
      .filter((name) => name.startsWith(trashPrefix))
      .map((name) => rm(join(directory, name), { recursive: true, force: true, maxRetries: 10 })),
  )
}

export async function removeIfEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

/** Bytes of all files below. Files that come and go meanwhile are counted or not. */
export async function bytesBelow(directory: string): Promise<number> {
  let entries
  try {
    entries = await readdir(directory, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 0
    throw error
  }
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => sizeIfThere(join(entry.parentPath, entry.name))),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function sizeIfThere(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 0
    throw error
  }
}
