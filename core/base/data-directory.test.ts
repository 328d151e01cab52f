import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { protectDataDirectory } from './data-directory.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'assay-data-directory-'))))
afterEach(() => rm(folder, { recursive: true }))

const mode = async (path: string) => (await stat(path)).mode & 0o7777

test('closes the data folder to other users, whether it exists or not', async () => {
  const made = join(folder, 'deep/data')
  expect(protectDataDirectory(made)).toBeNull()
  expect(await mode(made)).toBe(0o700)
  await chmod(folder, 0o755)
  expect(protectDataDirectory(folder)).toBeNull()
  expect(await mode(folder)).toBe(0o700)
})

test('refuses a folder that all users share, and leaves it as it is', async () => {
  await chmod(folder, 0o1777)
  expect(protectDataDirectory(folder)).toContain('a folder that only Assay uses')
  expect(await mode(folder)).toBe(0o1777)
})
