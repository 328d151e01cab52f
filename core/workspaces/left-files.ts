import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path/posix'
import { setImmediate } from 'node:timers/promises'
import { isErrno } from '../../engines/source/files.ts'
import { ifOutOfReach, openRegularFile, outOfReach } from '../../engines/source/regular-file.ts'
import { globMatcher } from '../../engines/source/glob.ts'

/** A file that the tests wrote. */
export interface LeftFile {
  /** The absolute path on this machine. */
  path: string
  /** The path relative to the searched folder. */
  name: string
}

const maxEntries = 200_000
/** Longer names are of no report. */
const maxName = 1_000
/** How long other requests wait at most, in milliseconds. */
const sliceMs = 10
const skipped = new Set(['.git', 'node_modules'])

/**
 * Finds regular files below a folder. Ignores links.
 *
 * @param changedSince - ignores older files, because files of the commit are not results
 */
export async function findFiles(
  directory: string,
  isWanted: (name: string) => boolean,
  changedSince?: number,
): Promise<LeftFile[]> {
  const found: LeftFile[] = []
  let seen = 0
  let sliceStart = performance.now()
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
      if (performance.now() - sliceStart > sliceMs) {
        await setImmediate()
        sliceStart = performance.now()
      }
      const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !skipped.has(entry.name)) await walk(path, name)
      else if (entry.isFile() && name.length <= maxName && isWanted(name) && (await isRecent(path, changedSince)))
        found.push({ path, name })
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
 * Returns the path of a folder below another, or undefined if it does not exist. Checks each step, because the tests may
 * have replaced a folder with a link to any place.
 */
export async function folderBelow(directory: string, below: string): Promise<string | undefined> {
  let path = directory
  for (const name of below.split('/').filter((part) => part !== '' && part !== '.')) {
    path = join(path, name)
    if (!(await lstat(path).catch(ifOutOfReach))?.isDirectory()) return undefined
  }
  return path
}

async function isRecent(path: string, changedSince: number | undefined): Promise<boolean> {
  if (changedSince === undefined) return true
  const file = await openRegularFile(path)
  if (!file) return false
  try {
    return (await file.stat()).mtimeMs >= changedSince
  } finally {
    await file.close()
  }
}
