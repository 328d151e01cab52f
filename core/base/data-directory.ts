import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const writableByAll = 0o002

/**
 * Makes sure that no other user of this machine can enter the data folder, which contains secrets and what the tests of
 * strangers wrote. Creates it if it is missing. Returns what is wrong, or null.
 */
export function protectDataDirectory(path: string): string | null {
  try {
    makeDirectory(path)
    const { mode } = statSync(path)
    if (process.platform === 'win32' || (mode & 0o077) === 0) return null
    // Such as /tmp, which would become useless for other programs.
    if ((mode & writableByAll) !== 0) {
      return 'every user of this machine can write to it. Set DATA_DIR to a folder that only Assay uses.'
    }
    chmodSync(path, 0o700)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Creates one level at a time: Node's recursive `mkdirSync` hangs on file systems without folders, such as /proc. */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (path !== dirname(path)) makeDirectory(dirname(path))
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}
