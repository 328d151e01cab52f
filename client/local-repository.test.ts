import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeLocalRepository } from './local-repository.ts'
import { createFolder, createRepository } from './testing/repository.ts'

test('finds the working tree from any of its folders, with origin as the first remote', async () => {
  await using repository = await createRepository({ 'src/a.ts': '' })
  await repository.git('remote', 'add', 'fork', 'git@github.com:me/shop.git')
  await repository.git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  expect(await describeLocalRepository(join(repository.path, 'src'))).toEqual({
    root: repository.path,
    mainRoot: repository.path,
    remotes: ['https://github.com/acme/shop.git', 'git@github.com:me/shop.git'],
  })
})

test('resolves symbolic links to a repository without remotes', async () => {
  await using repository = await createRepository({ 'a.ts': '' })
  const link = join(repository.path, 'link')
  await mkdir(join(repository.path, 'sub'))
  await symlink(join(repository.path, 'sub'), link)
  expect(await describeLocalRepository(link)).toMatchObject({ root: repository.path, remotes: [] })
})

test('knows the main working tree of a linked one, or the bare repository that has none', async () => {
  await using repository = await createRepository({ 'a.ts': '' })
  await using folder = await createFolder()
  const linked = join(folder.path, 'linked')
  await repository.git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  await repository.git('worktree', 'add', '--quiet', linked)
  const remotes = ['https://github.com/acme/shop.git']
  expect(await describeLocalRepository(linked)).toEqual({ root: linked, mainRoot: repository.path, remotes })
  const bare = join(folder.path, 'bare.git')
  const ofBare = join(folder.path, 'of-bare')
  await repository.git('clone', '--quiet', '--bare', '.', bare)
  await repository.git('-C', bare, 'worktree', 'add', '--quiet', ofBare)
  expect(await describeLocalRepository(ofBare)).toMatchObject({ root: ofBare, mainRoot: bare })
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
