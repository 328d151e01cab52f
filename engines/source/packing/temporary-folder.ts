import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasEnded, ownName } from '../process-name.ts'

const prefix = 'assay-pack-'

/** Makes a folder for one packing. Deletes those that killed processes of this user left. */
export async function makePackingFolder(): Promise<string> {
  const names = await readdir(tmpdir())
  const packings = names.filter((name) => name.startsWith(prefix))
  await Promise.all(packings.map((name) => removeAbandoned(name).catch(() => undefined)))
  return mkdtemp(join(tmpdir(), `${prefix}${await ownName()}.`))
}

async function removeAbandoned(name: string): Promise<void> {
  if (!(await hasEnded(name.slice(prefix.length).split('.', 1)[0] ?? ''))) return
  const path = join(tmpdir(), name)
  const { uid, mode } = await lstat(path)
  // Another user could replace something in a folder of theirs while it is deleted.
  if (uid === process.getuid?.() && (mode & 0o077) === 0) await rm(path, { recursive: true, force: true })
}
