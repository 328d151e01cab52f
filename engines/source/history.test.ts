import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { historyWithin } from './history.ts'
import { createGitRepository, type Files, type GitRepository } from './testing/git-repository.ts'

const signal = AbortSignal.timeout(60_000)
const paths = new Set(['a', 'b', 'c'])
const daysAgo = (days: number) => new Date(Date.parse('2026-06-01') - days * 24 * 60 * 60 * 1_000)

async function historyOf(repository: GitRepository, commits = 1_000) {
  const commitSha = await repository.git('rev-parse', 'HEAD')
  return historyWithin({ gitDir: join(repository.path, '.git'), commitSha, commits, paths, signal })
}

async function newRepository(files: Files): Promise<GitRepository> {
  const repository = await createGitRepository(files)
  onTestFinished(() => repository[Symbol.asyncDispose]())
  return repository
}

test.each([1_000, 3])(
  'what is remembered of one commit does not change the next answer of %d commits',
  async (commits) => {
    const repository = await newRepository({ a: '1' })
    const other = await newRepository({ a: 'other' })
    const git = (...args: string[]) => repository.git(...args)
    const commit = (files: Files, days: number) => repository.commit(files, { at: daysAgo(days) })
    const steps: Record<string, () => Promise<unknown>> = {
      nothing: async () => undefined,
      'a commit': () => commit({ a: '2', b: '1' }, 150),
      'two commits': async () => {
        await commit({ b: '2' }, 120)
        await commit({ b: '3', d: '1' }, 20)
      },
      'an empty commit': () => commit({}, 19),
      'another commit in its place': () => git('commit', '--quiet', '--amend', '--allow-empty', '--message=Other'),
      'an older commit': () => git('reset', '--quiet', '--hard', 'HEAD~2'),
      'a merge with commits between the known ones': async () => {
        await git('switch', '--quiet', '--create', 'side', 'HEAD~1')
        await commit({ c: '1' }, 140)
        await git('switch', '--quiet', 'main')
        await commit({ a: '3' }, 10)
        await git('merge', '--quiet', '--no-edit', 'side')
      },
      'a commit on a merge': () => commit({ c: '2' }, 5),
      'a merge with a commit of a clock that is wrong': async () => {
        await git('switch', '--quiet', '--create', 'late', 'HEAD~1')
        await commit({ b: '9' }, 4)
        await git('switch', '--quiet', 'main')
        await commit({ a: '4' }, 500)
        await git('merge', '--quiet', '--no-edit', 'late')
      },
      'a history of its own': async () => {
        await git('switch', '--quiet', '--orphan', 'new')
        await commit({ a: 'x' }, 1)
      },
    }
    for (const [step, take] of Object.entries(steps)) {
      await historyOf(repository, commits)
      await take()
      const remembered = await historyOf(repository, commits)
      await historyOf(other, commits)
      expect(remembered, step).toEqual(await historyOf(repository, commits))
    }
  },
)

test('a commit that follows on a known one needs nothing of what came before', async () => {
  const repository = await newRepository({ a: '1' })
  for (const content of ['2', '3']) await repository.commit({ a: content })
  expect(await historyOf(repository)).toMatchObject({ commits: 3, changes: new Map([['a', 3]]) })
  const tree = await repository.git('rev-parse', 'HEAD~2^{tree}')
  await repository.commit({ b: '1' })
  await rm(join(repository.path, '.git/objects', tree.slice(0, 2), tree.slice(2)))
  const changes = new Map([
    ['b', 1],
    ['a', 3],
  ])
  expect(await historyOf(repository)).toMatchObject({ commits: 4, changes })
  // With another number of commits everything is read.
  expect(await historyOf(repository, 999)).toMatchObject({ unknown: expect.any(String) })
})

test('a history that is made to be large is counted and not remembered', async () => {
  const repository = await newRepository({ a: '1' })
  const blobId = await repository.gitWithInput('x', 'hash-object', '-w', '--stdin')
  const listed = (mode: string, kind: string, id: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${mode} ${kind} ${id}\t${'n'.repeat(200)}${index}\n`).join('')
  const folder = await repository.gitWithInput(listed('100644', 'blob', blobId, 100), 'mktree')
  const many = await repository.gitWithInput(
    `${listed('040000', 'tree', folder, 60)}100644 blob ${blobId}\ta\n`,
    'mktree',
  )
  const none = await repository.gitWithInput('', 'mktree')
  let tip = await repository.git('rev-parse', 'HEAD')
  for (const tree of [many, none, many, none, many, none, many]) {
    tip = await repository.git('commit-tree', '-p', tip, '-m', 'Change', tree)
  }
  await repository.git('update-ref', 'HEAD', tip)
  const history = await historyOf(repository)
  expect(history).toMatchObject({ commits: 8, changes: new Map([['a', 8]]) })
  // Another look finds the same, or nothing where an object has gone that a remembered log would not need.
  expect(await historyOf(repository)).toEqual(history)
  const first = await repository.git('rev-parse', 'HEAD~7^{tree}')
  await rm(join(repository.path, '.git/objects', first.slice(0, 2), first.slice(2)))
  expect(await historyOf(repository)).toMatchObject({ unknown: expect.any(String) })
})
