import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates one folder per test run for all temporary files: databases, checkouts, sandboxes. It is in memory if the
 * machine allows that, because creating files on a disk takes up to ten times the processor time.
 */
export default async function setup() {
  const before = process.env['TMPDIR']
  const inMemory = before === undefined ? await createUsable('/dev/shm') : undefined
  const directory = inMemory ?? (await mkdtemp(join(tmpdir(), 'assay-test-')))
  // Postgres and sandboxes run as separate users if root runs the tests.
  await chmod(directory, 0o755)
  process.env['TMPDIR'] = directory
  return async () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    await rm(directory, { recursive: true, force: true })
  }
}

/** Containers often have a small file system in memory, or one that does not execute programs. */
async function createUsable(parent: string): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(parent).catch(() => ({ bavail: 0, bsize: 0 }))
  if (bavail * bsize < 4 * 2 ** 30) return undefined
  const directory = await mkdtemp(join(parent, 'assay-test-'))
  const program = join(directory, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
  if (spawnSync(program).status === 0) return directory
  await rm(directory, { recursive: true })
  return undefined
}
