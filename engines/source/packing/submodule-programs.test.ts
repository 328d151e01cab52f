import { existsSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultSnapshotLimits } from '../snapshot.ts'
import { createGitRepository } from '../testing/git-repository.ts'
import { packWorkingTree } from './pack-working-tree.ts'

const signal = new AbortController().signal

const open = (path: string) => packWorkingTree(path, { limits: defaultSnapshotLimits, maxCommits: 1_000, signal })

test('starts nothing that a submodule names', async () => {
  await using inner = await createGitRepository({ '.gitattributes': '* filter=trap diff=trap\n', file: 'same' })
  await using repository = await createGitRepository({ a: '1' })
  await repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.path, 'lib')
  await repository.commit()
  const marker = join(repository.path, '../marker')
  const trap = join(repository.path, '../trap.sh')
  await writeFile(trap, `#!/bin/sh\ntouch ${marker}\nexec cat\n`, { mode: 0o755 })
  const settings = `[core]\n\tfsmonitor = ${trap}\n\thooksPath = ${trap}\n[filter "trap"]\n\tclean = ${trap}\n`
  await appendFile(join(repository.path, '.git/modules/lib/config'), settings)
  await writeFile(join(repository.path, 'lib/file'), 'changed')
  await repository.write({ a: '2' })
  {
    await using tree = await open(repository.path)
    expect(tree).toMatchObject({ changedFiles: 1, leftOut: [{ path: 'lib', reason: 'submodule' }] })
    await tree.pack({ baseSha: null, signal })
  }
  expect(existsSync(marker)).toBe(false)
  await repository.git('status')
  expect(existsSync(marker)).toBe(true)
})
