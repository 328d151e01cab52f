import { mkdir, readFile, readdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder } from '../client/testing/repository.ts'
import { writeTests } from './write-tests.ts'

test('writes a test to its path, and overwrites another only with force', async () => {
  await using folder = await createFolder()
  const root = await realpath(folder.path)
  const write = (code: string, force: boolean) =>
    writeTests([{ filePath: 'a/b/c.test.ts', code }], root, { cwd: root, force })
  await write('first', false)
  await expect(write('second', false)).rejects.toThrow('--force')
  expect(await readFile(join(root, 'a/b/c.test.ts'), 'utf8')).toBe('first')
  await write('second', true)
  expect(await readFile(join(root, 'a/b/c.test.ts'), 'utf8')).toBe('second')
})

test('writes nothing outside of the checkout or where git would execute it', async () => {
  await using folder = await createFolder()
  const root = join(await realpath(folder.path), 'checkout')
  const outside = join(folder.path, 'outside')
  await Promise.all([mkdir(root), mkdir(outside)])
  await Promise.all([writeFile(join(outside, 'kept'), 'kept'), mkdir(join(root, '.git'))])
  await symlink('.git', join(root, 'tests'))
  await symlink(outside, join(root, 'linked'))
  await symlink(join(outside, 'kept'), join(root, 'link.test.ts'))
  const dotFolders = ['tests/hooks', 'tests/x/y', '.claude/settings.json', '.vscode/tasks.json', 'a/.github/x.yml']
  const places = ['../x.test.ts', 'a/../../x.test.ts', 'linked/x.test.ts', 'linked/new/x.test.ts', '.', 'link.test.ts']
  for (const filePath of [...places, '.git/hooks/pre-commit', 'a/.GIT/config', ...dotFolders]) {
    const writing = writeTests([{ filePath, code: 'gone' }], root, { cwd: root, force: true })
    await expect(writing, filePath).rejects.toThrow('not written')
  }
  expect([await readdir(folder.path), await readdir(outside)]).toEqual([['checkout', 'outside'], ['kept']])
  expect(await readFile(join(outside, 'kept'), 'utf8')).toBe('kept')
})
