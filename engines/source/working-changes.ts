import { copyFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isErrno } from './files.ts'
import type { LocalRepository } from './local.ts'

/**
 * Copies the index of a working tree into `gitDir`, because git updates the index when it compares. Returns undefined for
 * a working tree without an index, which has no commit.
 */
export async function copyIndex(repository: LocalRepository, gitDir: string): Promise<string | undefined> {
  const copy = join(gitDir, 'index')
  const original = join(repository.gitDir, 'index')
  try {
    await copyFile(original, copy)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
  // Git compares the content of files that are as new as the index. An index that is newer would hide their changes.
  const { atimeMs, mtimeMs } = await stat(original)
  await utimes(copy, atimeMs / 1_000, Math.floor(mtimeMs) / 1_000)
  return copy
}
