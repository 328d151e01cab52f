import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Reads the secret key of a data folder, and creates it at the first start. Everything encrypted with a lost key is unreadable. */
export function readOrCreateSecret(path: string): string | { problem: string } {
  try {
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
