import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeLocalRepository } from './local-repository.ts'
import { createRepository } from './testing/repository.ts'

test('finds the working tree from any of its folders, with origin as the first remote', async () => {
  await using repository = await createRepository({ 'src/a.ts': '' })
  await repository.git('remote', 'add', 'fork', 'git@github.com:me/shop.git')
  await repository.git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  expect(await describeLocalRepository(join(repository.path, 'src'))).toEqual({
    root: repository.path,
    remotes: ['https://github.com/acme/shop.git', 'git@github.com:me/shop.git'],
  })
})

test('resolves symbolic links to a repository without remotes', async () => {
  await using repository = await createRepository({ 'a.ts': '' })
  const link = join(repository.path, 'link')
  await mkdir(join(repository.path, 'sub'))
  await symlink(join(repository.path, 'sub'), link)
  expect(await describeLocalRepository(link)).toEqual({ root: repository.path, remotes: [] })
})

test('ignores a core.worktree that points elsewhere', async () => {
  await using repository = await createRepository({ 'a.ts': '' })
  await repository.git('config', 'core.worktree', '/')
  expect((await describeLocalRepository(repository.path)).root).toBe(repository.path)
})

test.each(['/', '/does/not/exist', '/dev/null'])(
  '%s is no working tree, and the error says what would be',
  async (path) => {
    await expect(describeLocalRepository(path)).rejects.toThrow('Give the absolute path of a checkout.')
  },
)
