import { constants, type Dirent } from 'node:fs'
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path/posix'
import { isErrno } from '../../engines/source/files.ts'
import { globMatcher } from '../../engines/source/glob.ts'

/** A file that the tests have left. */
export interface LeftFile {
  /** On this machine. */
  path: string
  /** Relative to where it was looked for. */
  name: string
}

const maxEntries = 200_000
// The tests took their own rights away, put something else there, a name is no text, or the way is longer than paths may be.
const outOfReach = ['EACCES', 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ENXIO'] as const
const skipped = new Set(['.git', 'node_modules'])

/**
 * Finds regular files below a folder; links are neither followed nor found.
 *
 * @param changedSince - leaves older ones out: what the commit brought along is no result
 */
export async function findFiles(
  directory: string,
  isWanted: (name: string) => boolean,
  changedSince?: number,
): Promise<LeftFile[]> {
  const found: LeftFile[] = []
  let seen = 0
  const walk = async (folder: string, prefix: string): Promise<void> => {
    const entries: Dirent[] = []
    try {
      for await (const entry of await opendir(folder)) {
        if (++seen > maxEntries) break
        entries.push(entry)
      }
    } catch (error) {
      if (!isErrno(error, ...outOfReach)) throw error
      return
    }
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !skipped.has(entry.name)) await walk(path, name)
      else if (entry.isFile() && isWanted(name) && (await isRecent(path, changedSince))) found.push({ path, name })
    }
  }
  await walk(directory, '')
  return found
}

export function matchesAny(globs: readonly string[]): (name: string) => boolean {
  const matchers = globs.map(globMatcher)
  return (name) => matchers.some((matches) => matches(name))
}

/**
 * A folder below another, undefined where it is none: each step on the way must be a folder itself, since what ran there
 * may have put links to anywhere in the place of folders.
 */
export async function folderBelow(directory: string, below: string): Promise<string | undefined> {
  let path = directory
  for (const name of below.split('/').filter((part) => part !== '' && part !== '.')) {
    path = join(path, name)
    if (!(await lstat(path).catch(ifOutOfReach))?.isDirectory()) return undefined
  }
  return path
}

/** Opens a file that is a regular one still; undefined for what is not. */
export async function openLeftFile(path: string): Promise<FileHandle | undefined> {
  // Non-blocking, since nobody would write to a named pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(ifOutOfReach)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

async function isRecent(path: string, changedSince: number | undefined): Promise<boolean> {
  if (changedSince === undefined) return true
  const file = await openLeftFile(path)
  if (!file) return false
  try {
    return (await file.stat()).mtimeMs >= changedSince
  } finally {
    await file.close()
  }
}

function ifOutOfReach(error: unknown): undefined {
  if (!isErrno(error, ...outOfReach)) throw error
}
