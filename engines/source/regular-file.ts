import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isErrno } from './files.ts'

// Tests can change permissions, replace files, and create names that are not text and paths that are too long.
export const outOfReach = ['EACCES', 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ENXIO'] as const

/** Opens a regular file. Returns undefined for anything else. */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  // Non-blocking, because opening a named pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(ifOutOfReach)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

export function ifOutOfReach(error: unknown): undefined {
  if (!isErrno(error, ...outOfReach)) throw error
}
