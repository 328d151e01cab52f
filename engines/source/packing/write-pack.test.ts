import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openCommit } from '../commit.ts'
import { receiveSnapshot } from '../receive-snapshot.ts'
import { defaultSnapshotLimits } from '../snapshot.ts'
import { createGitRepository } from '../testing/git-repository.ts'
import { receivePack } from '../testing/receive-pack.ts'
import { defaultSourceLimits } from '../types.ts'
import { packWorkingTree } from './pack-working-tree.ts'

const signal = new AbortController().signal

const open = (path: string) => packWorkingTree(path, { limits: defaultSnapshotLimits, maxCommits: 1_000, signal })

const lines = (seed: string) => Array.from({ length: 2_000 }, (_, index) => `${seed} ${index * 7_919}`).join('\n')

test('carries the commits between the base and HEAD', async () => {
  await using repository = await createGitRepository({ a: '1', kept: lines('kept') })
  const baseSha = await repository.git('rev-parse', 'HEAD')
  await repository.commit({ a: '2' })
  await repository.git('checkout', '--quiet', '-b', 'side', baseSha)
  await repository.commit({ b: 'side' })
  await repository.git('checkout', '--quiet', 'main')
  await repository.git('merge', '--quiet', '--no-edit', 'side')
  const head = await repository.git('rev-parse', 'HEAD')
  await repository.write({ a: '3' })
  await using tree = await open(repository.path)
  const { file, headSha, objects } = await tree.pack({ baseSha, signal })
  expect([headSha, objects]).toEqual([head, 10])
  await using receiver = await receivePack(repository, { baseSha, file, wanted: [head, tree.treeSha] })
  expect(await receiver.git('show', `${tree.treeSha}:a`)).toBe('3')
  expect(await receiver.git('rev-list', '--count', head)).toBe('4')
})

/** The commits of a history by their names, each with its parents and the content of its two files. */
type History = readonly (readonly [name: string, parents: readonly string[], content: string])[]

const mergedHistories: Record<string, History> = {
  'whose second parent is the base': [
    ['old', [], '1'],
    ['base', ['old'], '2'],
    ['side', ['old'], '1'],
    ['merge', ['side', 'base'], '1'],
  ],
  'of merges across each other': [
    ['old', [], '1'],
    ['base', ['old'], '2'],
    ['side', ['old'], '3'],
    ['one', ['base', 'side'], '2'],
    ['other', ['side', 'base'], '3'],
    ['merge', ['one', 'other'], '1'],
  ],
  'of a merge of three': [
    ['old', [], '1'],
    ['base', ['old'], '2'],
    ['side', ['old'], '1'],
    ['other', ['old'], '3'],
    ['merge', ['side', 'other', 'base'], '1'],
  ],
}

test.each(Object.keys(mergedHistories))(
  'carries files of before the base that a history %s brings back',
  async (kind) => {
    const marks = new Map<string, number>()
    const lines = (mergedHistories[kind] ?? []).map(([name, parents, content]) => {
      const [from, ...merged] = parents.map((parent) => `:${marks.get(parent)}`)
      marks.set(name, marks.size + 1)
      return [
        `commit refs/heads/${name}\nmark :${marks.size}\ncommitter Ada <ada@example.com> 1800000000 +0000\ndata 0`,
        ...(from === undefined ? [] : [`from ${from}`]),
        ...merged.map((parent) => `merge ${parent}`),
        ...['a', 'folder/b'].map((path) => `M 644 inline ${path}\ndata 1\n${content}`),
        `M 644 inline ${name}\ndata 1\nx\n`,
      ].join('\n')
    })
    await using repository = await createGitRepository()
    await repository.gitWithInput(lines.join(''), 'fast-import', '--quiet')
    await repository.git('checkout', '--quiet', 'merge')
    await repository.write({ new: 'new' })
    await using tree = await open(repository.path)
    const baseSha = await repository.git('rev-parse', 'base')
    const { file, headSha } = await tree.pack({ baseSha, signal })
    expect(headSha).toBe(tree.headSha)
    const folder = join(dirname(repository.path), 'server')
    await using base = await openCommit({
      url: repository.path,
      directory: join(folder, 'clone'),
      ref: { commitSha: baseSha },
      allowLocal: true,
      allowCidrs: [],
      limits: defaultSourceLimits,
      signal,
    })
    const { treeSha, files } = tree
    const directory = join(folder, 'snapshots/one.git')
    const limits = defaultSnapshotLimits
    expect(await receiveSnapshot({ pack: file, treeSha, base, headSha, directory, limits, signal })).toMatchObject({
      files,
    })
  },
)

test('sends small changes of large files as deltas on the base', async () => {
  await using repository = await createGitRepository({ large: lines('large') })
  const baseSha = await repository.git('rev-parse', 'HEAD')
  await repository.write({ large: `${lines('large')}\nmore` })
  await using tree = await open(repository.path)
  const { file, bytes, objects, largest } = await tree.pack({ baseSha, signal })
  expect([objects, largest.map(({ path }) => path)]).toEqual([2, ['large']])
  expect(bytes).toBeLessThan(300)
  await using receiver = await receivePack(repository, { baseSha, file, wanted: [tree.treeSha] })
  expect(await receiver.git('show', `${tree.treeSha}:large`)).toContain('more')
})

test('carries the whole tree and no commit where the server has no commit', async () => {
  await using repository = await createGitRepository({ 'src/a': '1', b: '2' })
  await repository.write({ b: '3' })
  await using tree = await open(repository.path)
  const { file, headSha, objects } = await tree.pack({ baseSha: null, signal })
  expect([headSha, objects]).toEqual([null, 4])
  await using receiver = await receivePack(repository, { baseSha: null, file, wanted: [tree.treeSha] })
  expect(await receiver.git('show', `${tree.treeSha}:b`)).toBe('3')
})

test('carries only the tree where HEAD is more than 1,000 commits ahead', async () => {
  await using repository = await createGitRepository({ a: '1' })
  const baseSha = await repository.git('rev-parse', 'HEAD')
  const author = 'Ada <ada@example.com>'
  const commits = Array.from(
    { length: 1_001 },
    (_, index) =>
      `commit refs/heads/main\ncommitter ${author} ${1_800_000_000 + index} +0000\ndata 1\nx\n` +
      `${index === 0 ? `from ${baseSha}\n` : ''}M 644 inline a\ndata ${String(index).length}\n${index}\n`,
  )
  await repository.gitWithInput(commits.join(''), 'fast-import', '--quiet')
  await repository.git('reset', '--quiet', '--hard')
  await repository.write({ a: 'changed' })
  await using tree = await open(repository.path)
  expect(tree.latestCommits).toHaveLength(1_000)
  const far = await tree.pack({ baseSha, signal })
  expect([far.headSha, far.objects]).toEqual([null, 2])
  const near = await tree.pack({ baseSha: await repository.git('rev-parse', 'HEAD~1000'), signal })
  expect(near.headSha).toBe(tree.headSha)
  await using receiver = await receivePack(repository, { baseSha, file: far.file, wanted: [tree.treeSha] })
  expect(await receiver.git('show', `${tree.treeSha}:a`)).toBe('changed')
})

test('carries only the tree where a shallow clone lacks the commits in between', async () => {
  await using origin = await createGitRepository({ a: '1' })
  const baseSha = await origin.git('rev-parse', 'HEAD')
  await origin.git('checkout', '--quiet', '-b', 'side')
  await origin.commit({ b: '1' })
  await origin.commit({ b: '2' })
  const shallow = join(dirname(origin.path), 'shallow')
  await origin.git('clone', '--quiet', '--depth=1', '--branch=side', `file://${origin.path}`, shallow)
  await origin.git('-C', shallow, 'fetch', '--quiet', '--depth=1', 'origin', 'main')
  await writeFile(join(shallow, 'b'), '3')
  await using tree = await open(shallow)
  const { file, headSha } = await tree.pack({ baseSha, signal })
  expect(headSha).toBeNull()
  await using receiver = await receivePack(origin, { baseSha, file, wanted: [tree.treeSha] })
  expect(await receiver.git('show', `${tree.treeSha}:b`)).toBe('3')
})

test('refuses a pack over the limit and names its largest files', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await repository.write({ 'data/large.bin': randomBytes(200_000), 'data/small.bin': randomBytes(50_000) })
  await using tree = await open(repository.path)
  const limits = { maxPackBytes: 100_000 }
  await expect(tree.pack({ baseSha: tree.headSha, limits, signal })).rejects.toMatchObject({
    code: 'too_large',
    message:
      'The snapshot is larger than 98 KiB when it is packed. The largest files are data/large.bin (196 KiB) and ' +
      'data/small.bin (49 KiB). Add files that tests do not need to .gitignore, or commit and push the change.',
  })
  expect((await tree.pack({ baseSha: tree.headSha, signal })).bytes).toBeGreaterThan(250_000)
})

test('says which base is missing, and where objects are', async () => {
  await using repository = await createGitRepository({ a: '1', b: '2' })
  await using tree = await open(repository.path)
  await expect(tree.pack({ baseSha: '1'.repeat(40), signal })).rejects.toMatchObject({ code: 'commit_not_found' })
  await expect(tree.pack({ baseSha: null, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })

  const lost = await repository.git('rev-parse', 'HEAD:b')
  await rm(join(repository.path, '.git/objects', lost.slice(0, 2), lost.slice(2)))
  await using damaged = await open(repository.path)
  expect(damaged.isClean).toBe(true)
  await expect(damaged.pack({ baseSha: null, signal })).rejects.toMatchObject({
    code: 'not_a_repository',
    message: expect.stringContaining('partial clone'),
  })
  expect(await damaged.pack({ baseSha: damaged.headSha, signal })).toMatchObject({ objects: 0 })
})
