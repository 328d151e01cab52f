import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ancestor } from './changes.ts'
import { type CommitSnapshot, openCommit } from './commit.ts'
import { startGitHost } from './testing/git-host.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { defaultSourceLimits } from './types.ts'

const { signal } = new AbortController()
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const lines = (count: number, word = 'line') => Array.from({ length: count }, (_, index) => `${word} ${index + 1}`)

const opened = new AsyncDisposableStack()
let repository: GitRepository
let url: string
let folder: string
const commits: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-changes-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  repository = opened.use(await createGitRepository())
  commits.push(
    await repository.commit({
      'src/a.ts': text(lines(9)),
      'src/old name.ts': text(lines(30, 'moved')),
      'gone.ts': text(lines(3, 'gone')),
      'tool.sh': text(lines(3, 'tool')),
      'image.png': Buffer.from([0, 1, 2, 0]),
      'nul.ts': text(['first', '// \0', 'third']),
      'became-link.ts': text(lines(4, 'link')),
      'z.ts': text(lines(5, 'z')),
    }),
  )
  await repository.git('mv', 'src/old name.ts', 'src/new\nname.ts')
  await repository.git('rm', '-q', 'gone.ts', 'became-link.ts')
  await chmod(join(repository.path, 'tool.sh'), 0o755)
  const moved = lines(30, 'moved')
  commits.push(
    await repository.commit({
      'src/a.ts': text([...lines(9).slice(0, 2), 'diff --git a/x b/x', '@@ -1,9 +1,9 @@', ...lines(9).slice(4)]),
      'src/new\nname.ts': text(['first', ...moved.slice(0, 20), ...moved.slice(22)]),
      'image.png': Buffer.from([0, 3, 2, 0]),
      'nul.ts': text(['first', '// \0', 'other']),
      'became-link.ts': { linkTo: 'src/a.ts' },
      'added.ts': text(lines(2, 'added')),
      'z.ts': text(lines(5, 'z').slice(1)),
    }),
  )
  commits.push(await repository.commit({ 'added.ts': text(lines(3, 'added')) }))
  const host = opened.use(await startGitHost({ app: repository.path }))
  url = `${host.url}/app`
})
afterAll(() => opened.disposeAsync())

let clones = 0
const open = (from: string, commitSha: string | undefined): Promise<CommitSnapshot> =>
  openCommit({
    url: from,
    directory: join(folder, `clone-${clones++}`),
    ref: commitSha === undefined ? {} : { commitSha },
    allowLocal: true,
    allowCidrs: ['127.0.0.0/8'],
    limits: defaultSourceLimits,
    signal,
  })

async function nearestOf(snapshot: CommitSnapshot, wanted: readonly string[]) {
  const found: Ancestor[] = []
  for await (const ancestor of snapshot.nearestOf(new Set(wanted), signal)) found.push(ancestor)
  return found
}

describe.each(['a folder', 'a server'])('in a repository in %s', (place) => {
  const openAt = (commitSha?: string) => open(place === 'a folder' ? repository.path : url, commitSha)

  test('changed lines, renames and lost files are found, whatever the files contain and are called', async () => {
    await using snapshot = await openAt(commits[1])
    const { changed, gone, added } = await snapshot.changesSince(commits[0] ?? '', signal)
    expect(Object.fromEntries(changed)).toEqual({
      'src/a.ts': { before: 'src/a.ts', hunks: [{ oldStart: 3, oldLines: 2, newStart: 3, newLines: 2 }] },
      'src/new\\x0aname.ts': {
        before: 'src/old name.ts',
        hunks: [
          { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 },
          { oldStart: 21, oldLines: 2, newStart: 21, newLines: 0 },
        ],
      },
      'image.png': { before: 'image.png', hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1 }] },
      'nul.ts': { before: 'nul.ts', hunks: [{ oldStart: 3, oldLines: 1, newStart: 3, newLines: 1 }] },
      'tool.sh': { before: 'tool.sh', hunks: [] },
      'z.ts': { before: 'z.ts', hunks: [{ oldStart: 1, oldLines: 1, newStart: 0, newLines: 0 }] },
    })
    expect([...gone].toSorted()).toEqual(['became-link.ts', 'gone.ts', 'src/old name.ts'])
    expect([...added].toSorted()).toEqual(['added.ts', 'became-link.ts'])
  })

  test('a file that is too large to be compared although git takes it for binary counts as replaced', async () => {
    if (place === 'a server') return
    await using large = await createGitRepository()
    const binary = (first: string) => Buffer.concat([Buffer.from(`${first}\n`), Buffer.alloc(33 * 2 ** 20)])
    const from = await large.commit({ 'large.js': binary('// one'), 'nul.ts': text(['// \0', 'a']) })
    const to = await large.commit({ 'large.js': binary('// two'), 'nul.ts': text(['// \0', 'b']) })
    await using snapshot = await open(large.path, to)
    const { changed, gone, added } = await snapshot.changesSince(from, signal)
    const paths = ['large.js', 'nul.ts']
    expect([[...changed.keys()], [...gone], [...added]]).toEqual([[], paths, paths])
  })

  test('the nearest of several commits are found in order, with their distance', async () => {
    await using snapshot = await openAt()
    const [first = '', second = '', third = ''] = commits
    const nearest = (...wanted: string[]) => nearestOf(snapshot, wanted)
    expect(await nearest(first, second)).toEqual([
      { commitSha: second, behind: 1 },
      { commitSha: first, behind: 2 },
    ])
    expect(await nearest(first, third)).toEqual([
      { commitSha: third, behind: 0 },
      { commitSha: first, behind: 2 },
    ])
    expect(await nearest('f'.repeat(40))).toEqual([])
  })

  test('a later commit is no ancestor', async () => {
    await using snapshot = await openAt(commits[1])
    expect(await nearestOf(snapshot, [commits[2] ?? ''])).toEqual([])
  })

  test('an earlier commit that is not there any more is named as such', async () => {
    await using snapshot = await openAt()
    await expect(snapshot.changesSince('f'.repeat(40), signal)).rejects.toMatchObject({ name: 'RepositoryError' })
    // The snapshot itself is not affected.
    expect((await snapshot.changesSince(commits[1] ?? '', signal)).changed.size).toBe(1)
  })
})
