import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPostgresFiles } from './postgres-files.ts'
import { removeInstallation } from './testing.ts'

test.runIf(process.getuid?.() === 0)('takes the database along when the data folder was closed to others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-closed-'))
  const directory = join(folder, 'postgres')
  await mkdir(directory, { mode: 0o700 })
  await writeFile(join(directory, 'PG_VERSION'), '18')
  const files = await findPostgresFiles(directory)
  expect(existsSync(directory)).toBe(false)
  expect(await readFile(join(files.directory, 'PG_VERSION'), 'utf8')).toBe('18')
  expect((await findPostgresFiles(directory)).directory).toBe(files.directory)
  await removeInstallation(folder)
})
