import { chmod, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder, createRepository } from './testing/repository.ts'
import { headOf } from './committed-checkout.ts'
import { compareWithCommit } from './compare-working-tree.ts'

const none = { tracked: [], untracked: [] }

async function changesOf(root: string) {
  const differences = (await compareWithCommit(root, (await headOf(root)) ?? '')) ?? []
  const pathsOf = (isUntracked: boolean) =>
    differences.flatMap((one) => (one.isUntracked === isUntracked ? [one.path] : []))
  return { tracked: pathsOf(false), untracked: pathsOf(true) }
}

test('finds changes of a checkout without starting its filters, hooks and monitors', async () => {
  await using folder = await createFolder()
  await using repository = await createRepository({
    'a.txt': 'one\n',
    '.gitattributes': '*.txt filter=evil diff=evil\n',
  })
  const program = join(folder.path, 'program')
  await writeFile(program, `#!/bin/sh\ntouch ${folder.path}/"$(basename "$0")-$1"\ncat\n`)
  await chmod(program, 0o755)
  await repository.git('config', 'filter.evil.clean', `${program} clean`)
  await repository.git('config', 'filter.evil.process', `${program} process`)
  await repository.git('config', 'diff.evil.command', `${program} diff`)
  await repository.git('config', 'core.fsmonitor', program)
  await symlink(program, join(repository.path, '.git/hooks/post-index-change'))
  const touch = () => utimes(join(repository.path, 'a.txt'), 1, 1)
  await touch()
  expect(await changesOf(repository.path)).toEqual(none)
  await writeFile(join(repository.path, 'a.txt'), 'two\n')
  await touch()
  expect(await changesOf(repository.path)).toEqual({ tracked: ['a.txt'], untracked: [] })
  expect(await readdir(folder.path)).toEqual(['program'])
})

test('staged and deleted files are changes, untracked files are listed apart, ignored files are neither', async () => {
  await using repository = await createRepository({ 'a.txt': 'one\n', '.gitignore': 'out\n' })
  await symlink('a.txt', join(repository.path, 'link'))
  await repository.git('add', 'link')
  expect(await changesOf(repository.path)).toEqual({ tracked: ['link'], untracked: [] })
  await repository.git('commit', '--quiet', '--message', 'Second')
  await repository.write({ 'out/x': 'x' })
  expect(await changesOf(repository.path)).toEqual(none)
  await repository.write({ 'new.txt': 'x' })
  expect(await changesOf(repository.path)).toEqual({ tracked: [], untracked: ['new.txt'] })
  await rm(join(repository.path, 'new.txt'))
  await rm(join(repository.path, 'a.txt'))
  expect(await changesOf(repository.path)).toEqual({ tracked: ['a.txt'], untracked: [] })
})
