import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Reads the secret key, and creates it at the first start. Everything encrypted with a lost key is unreadable. */
export function readOrCreateSecret(path: string): string | { problem: string } {
  try {
    makeDirectory(dirname(path))
    // Fails if a parallel process has created the file, which then contains the key.
    if (!existsSync(path))
      writeFileSync(path, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!existsSync(path)) return { problem: error instanceof Error ? error.message : String(error) }
  }
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Creates one level at a time: Node's recursive `mkdirSync` hangs on file systems without folders, such as /proc. */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (path !== dirname(path)) makeDirectory(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}
