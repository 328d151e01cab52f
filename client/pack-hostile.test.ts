import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packWorkingTree } from '../engines/source/packing/pack-working-tree.ts'
import { defaultSnapshotLimits } from '../engines/source/snapshot.ts'
import { RepositoryError } from '../engines/source/types.ts'
import { createHostileRepository, everything, vectors } from './testing/hostile-repository.ts'

const signal = new AbortController().signal
const files = { 'src/main.ts': 'export const main = 1\n', 'src/price.ts': 'export const price = 2\n' }

const open = (path: string) => packWorkingTree(path, { limits: defaultSnapshotLimits, maxCommits: 1_000, signal })

/** What every file of the repository contains, and when the index was written. */
async function stateOf(path: string) {
  const found = execFileSync('find', [join(path, '.git'), '-type', 'f'], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const contents = await Promise.all(
    found.toSorted().map(async (file) => [
      file,
      createHash('sha1')
        .update(await readFile(file))
        .digest('hex'),
    ]),
  )
  return [contents, (await stat(join(path, '.git/index'), { bigint: true })).mtimeNs]
}

test.each([...vectors, everything])('starts nothing for $name', async (vector) => {
  await using repository = await createHostileRepository(files, vector)
  await repository.write({ 'src/new.ts': 'new', 'src/main.ts': 'changed' })
  const before = await stateOf(repository.path)
  {
    await using tree = await open(repository.path)
    const isFiltered = vector.config.includes('[filter')
    expect(tree.leftOut.map(({ reason }) => reason).includes('filter')).toBe(
      isFiltered && vector.name !== 'a smudge filter',
    )
    expect((await tree.pack({ baseSha: tree.headSha, signal })).headSha).toBe(tree.headSha)
    // The lost object is not fetched.
    const whole = tree.pack({ baseSha: null, signal })
    if (vector.isPartial) await expect(whole).rejects.toBeInstanceOf(RepositoryError)
    else expect((await whole).objects).toBeGreaterThan(2)
  }
  expect(repository.isTriggered()).toBe(false)
  expect(await stateOf(repository.path)).toEqual(before)
})
