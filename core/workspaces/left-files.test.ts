import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findFiles, matchesAny } from './left-files.ts'
import { openRegularFile } from '../../engines/source/regular-file.ts'
import { removeTree } from './directories.ts'

async function folderWith(files: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), 'assay-left-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const names = (found: { name: string }[]) => found.map(({ name }) => name)

test('finds files by glob at any depth, sorted, except in dependencies', async () => {
  await using folder = await folderWith({
    'b/junit.xml': '',
    'a/deep/er/junit.xml': '',
    'junit.xml': '',
    'junit.txt': '',
    'node_modules/x/junit.xml': '',
    '.git/junit.xml': '',
  })
  const found = await findFiles(folder.path, matchesAny(['**/junit.xml']))
  expect(names(found)).toEqual(['a/deep/er/junit.xml', 'b/junit.xml', 'junit.xml'])
})

test('ignores links, pipes and folders', async () => {
  await using folder = await folderWith({ 'real.xml': '<a/>', 'dir.xml/inside.xml': '' })
  await symlink('/etc/passwd', join(folder.path, 'linked.xml'))
  await symlink('/etc', join(folder.path, 'etc'))
  await symlink('real.xml', join(folder.path, 'inner.xml'))
  await promisify(execFile)('mkfifo', [join(folder.path, 'pipe.xml')])
  expect(names(await findFiles(folder.path, matchesAny(['**/*.xml', '**/passwd'])))).toEqual([
    'dir.xml/inside.xml',
    'real.xml',
  ])
  expect(await openRegularFile(join(folder.path, 'linked.xml'))).toBeUndefined()
  expect(await openRegularFile(join(folder.path, 'pipe.xml'))).toBeUndefined()
  expect(await openRegularFile(join(folder.path, 'dir.xml'))).toBeUndefined()
})

test('ignores files that are older than the tests', async () => {
  await using folder = await folderWith({ 'old.xml': '', 'new.xml': '' })
  const start = Date.now() - 60_000
  await utimes(join(folder.path, 'old.xml'), new Date(0), new Date(0))
  expect(names(await findFiles(folder.path, () => true, start))).toEqual(['new.xml'])
})

test('treats missing and unreadable folders as empty', async () => {
  await using folder = await folderWith({ 'closed/x.xml': '' })
  expect(await findFiles(join(folder.path, 'absent'), () => true)).toEqual([])
  await chmod(join(folder.path, 'closed'), 0)
  expect(await findFiles(folder.path, () => true)).toSatisfy((found: unknown[]) => found.length <= 1)
})

test('removes a tree without write permissions', async () => {
  await using folder = await folderWith({ 'gone/a/b.txt': '' })
  await chmod(join(folder.path, 'gone/a'), 0)
  await removeTree(join(folder.path, 'gone'))
  expect(await findFiles(folder.path, () => true)).toEqual([])
})
