import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeLocalRepository } from './local-repository.ts'
import { createRepository } from './testing/repository.ts'

test('any folder of a working tree stands for all of it, with origin first among its remotes', async () => {
  await using repository = await createRepository({ 'src/a.ts': '' })
  await repository.git('remote', 'add', 'fork', 'git@github.com:me/shop.git')
  await repository.git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  expect(await describeLocalRepository(join(repository.path, 'src'))).toEqual({
    root: repository.path,
    remotes: ['https://github.com/acme/shop.git', 'git@github.com:me/shop.git'],
  })
})

test('a repository without remotes is known by its path, through symlinks too', async () => {
  await using repository = await createRepository({ 'a.ts': '' })
  const link = join(repository.path, 'link')
  await mkdir(join(repository.path, 'sub'))
  await symlink(join(repository.path, 'sub'), link)
  expect(await describeLocalRepository(link)).toEqual({ root: repository.path, remotes: [] })
})

test('a repository cannot say that it is somewhere else', async () => {
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
