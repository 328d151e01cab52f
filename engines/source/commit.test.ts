import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GitHost, type GitHostBehaviour, startGitHost } from './testing/git-host.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { defaultSourceLimits } from './types.ts'
import type { Snapshot } from './types.ts'
import { openCommit, type OpenCommitOptions } from './commit.ts'
import { resolveRemoteCommit } from './remote.ts'

const signal = new AbortController().signal
const day = 24 * 60 * 60 * 1_000
const newest = new Date('2026-06-01T12:00:00Z')
const daysBefore = (days: number) => new Date(newest.getTime() - days * day)

let folder: string
let app: GitRepository
let host: GitHost
const commits: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-commit-'))
  app = await createGitRepository()
  commits.push(
    await app.commit({ 'README.md': '# App\n', 'src/a.ts': 'export const a = 1\n' }, { at: daysBefore(400) }),
    await app.commit({ 'src/a.ts': 'export const a = 2\n' }, { at: daysBefore(100) }),
    await app.commit(
      { 'src/a.ts': 'export const a = 3\n', 'src/b.ts': 'export const b = 1\n' },
      { at: daysBefore(10) },
    ),
    await app.commit({ 'bin/run.sh': '#!/bin/sh\n', link: { linkTo: 'src/a.ts' } }, { at: newest }),
  )
  await app.git('tag', '--annotate', '--message=First', 'v1', commits[1] ?? '')
  host = await startGitHost({ app: app.path })
})

afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

let clones = 0
const newClone = () => join(folder, `clone-${clones++}`)

function optionsFor(url: string, options: Partial<OpenCommitOptions> = {}): OpenCommitOptions {
  const directory = newClone()
  return {
    url,
    directory,
    ref: {},
    allowLocal: true,
    allowCidrs: ['127.0.0.0/8'],
    limits: defaultSourceLimits,
    signal,
    ...options,
  }
}

const open = (url: string, options?: Partial<OpenCommitOptions>) => openCommit(optionsFor(url, options))

async function contentsOf(snapshot: Snapshot): Promise<Record<string, string | null>> {
  const contents: Record<string, string | null> = {}
  for await (const { entry, content } of snapshot.read(snapshot.entries, signal)) {
    contents[entry.path] = content?.toString() ?? null
  }
  return contents
}

async function served(repository: GitRepository, behaviour?: GitHostBehaviour) {
  return startGitHost({ app: repository.path }, behaviour)
}

/** The same must hold for a repository on a server and for one on this machine. */
const places: [string, () => string][] = [
  ['on a server', () => `${host.url}/app`],
  ['of this machine', () => app.path],
  ['named by a file URL', () => `file://${app.path}`],
]

test.each(places)('opens the newest commit of a repository %s', async (_place, url) => {
  await using snapshot = await open(url())
  expect(snapshot.commitSha).toBe(commits.at(-1))
  expect(snapshot.branch).toBe('main')
  expect(snapshot.entries.map(({ path, mode, size }) => ({ path, mode, size }))).toEqual([
    { path: 'README.md', mode: '100644', size: 6 },
    { path: 'bin/run.sh', mode: '100644', size: 10 },
    { path: 'link', mode: '120000', size: 8 },
    { path: 'src/a.ts', mode: '100644', size: 19 },
    { path: 'src/b.ts', mode: '100644', size: 19 },
  ])
  expect(await contentsOf(snapshot)).toEqual({
    'README.md': '# App\n',
    'bin/run.sh': '#!/bin/sh\n',
    link: 'src/a.ts',
    'src/a.ts': 'export const a = 3\n',
    'src/b.ts': 'export const b = 1\n',
  })
  expect(snapshot.warnings).toEqual([])
})

test.each(places)('counts the changes of a repository %s', async (_place, url) => {
  await using snapshot = await open(url())
  const history = await snapshot.history(signal)
  expect(history.commits).toBe(4)
  expect(Object.fromEntries(history.changes)).toEqual({
    'README.md': 1,
    'src/a.ts': 3,
    'src/b.ts': 1,
    'bin/run.sh': 1,
    link: 1,
  })
  expect(Object.fromEntries(history.recentChanges)).toEqual({ 'src/a.ts': 1, 'src/b.ts': 1, 'bin/run.sh': 1, link: 1 })
})

test.each(places)('opens a branch, a tag and a commit of a repository %s', async (_place, url) => {
  await app.git('branch', '--force', 'feature/x', commits[2] ?? '')
  const opened = async (ref: OpenCommitOptions['ref']) => {
    await using snapshot = await open(url(), { ref })
    return [snapshot.commitSha, snapshot.branch, snapshot.entries.length]
  }
  expect(await opened({ branch: 'feature/x' })).toEqual([commits[2], 'feature/x', 3])
  expect(await opened({ branch: 'v1' })).toEqual([commits[1], 'v1', 2])
  expect(await opened({ commitSha: commits[0] })).toEqual([commits[0], undefined, 2])
  expect(await opened({ branch: 'main', commitSha: commits[1] })).toEqual([commits[1], 'main', 2])
  expect(await opened({ branch: 'main', commitSha: commits[3] })).toEqual([commits[3], 'main', 5])
})

test.each(places)('tells without fetching which commit a branch of a repository %s is at', async (_place, url) => {
  const resolve = (ref: OpenCommitOptions['ref']) => resolveRemoteCommit(optionsFor(url(), { ref }))
  expect(await resolve({})).toEqual({ commitSha: commits[3], branch: 'main', defaultBranch: 'main' })
  expect(await resolve({ branch: 'v1' })).toEqual({ commitSha: commits[1], branch: 'v1' })
  expect(await resolve({ branch: 'main', commitSha: commits[0] })).toEqual({ commitSha: commits[0], branch: 'main' })
  await expect(resolve({ branch: 'gone' })).rejects.toMatchObject({ code: 'branch_not_found' })
})

test.each(places)('says what is wrong with a reference to a repository %s', async (_place, url) => {
  await expect(open(url(), { ref: { branch: 'mian' } })).rejects.toMatchObject({
    code: 'branch_not_found',
    message: expect.stringMatching(/no branch mian.*main/),
  })
  await expect(open(url(), { ref: { branch: '--upload-pack=x' } })).rejects.toMatchObject({ code: 'branch_not_found' })
  await expect(open(url(), { ref: { commitSha: '1'.repeat(40) } })).rejects.toMatchObject({ code: 'commit_not_found' })
  await expect(open(url(), { ref: { commitSha: 'main' } })).rejects.toMatchObject({ code: 'commit_not_found' })
  const tree = await app.git('rev-parse', 'HEAD^{tree}')
  await expect(open(url(), { ref: { commitSha: tree } })).rejects.toMatchObject({ code: 'commit_not_found' })
})

test.each(['server', 'path'])(
  'tells an empty repository from one whose default branch is missing, on a %s',
  async (kind) => {
    await using repository = await createGitRepository()
    await using remote = await served(repository)
    const url = kind === 'server' ? `${remote.url}/app` : repository.path
    await expect(open(url)).rejects.toMatchObject({
      code: 'empty_repository',
      message: expect.stringContaining('no commits yet'),
    })
    await repository.commit({ a: '1' })
    await repository.git('branch', 'develop')
    await repository.git('symbolic-ref', 'HEAD', 'refs/heads/unborn')
    await expect(open(url)).rejects.toMatchObject({
      code: 'branch_not_found',
      message: expect.stringMatching(/default branch.*develop, main/),
    })
    await using snapshot = await open(url, { ref: { branch: 'develop' } })
    expect(snapshot.entries).toHaveLength(1)
  },
)

test('opens a server whose HEAD is a commit and no branch', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await repository.git('checkout', '--quiet', '--detach')
  await repository.commit({ b: '1' })
  await using remote = await served(repository)
  await using snapshot = await open(`${remote.url}/app`)
  expect([snapshot.branch, snapshot.entries.length]).toEqual([undefined, 2])
})

test('opens repositories with ids of 64 digits', async () => {
  await using repository = await createGitRepository({ a: '1' }, { objectFormat: 'sha256' })
  await using remote = await served(repository)
  for (const url of [`${remote.url}/app`, repository.path]) {
    await using snapshot = await open(url)
    expect(snapshot.commitSha).toHaveLength(64)
    expect(await contentsOf(snapshot)).toEqual({ a: '1' })
    expect((await snapshot.history(signal)).commits).toBe(1)
  }
})

test('fetches only new objects the second time, and nothing if nothing changed', async () => {
  await using repository = await createGitRepository({ old: 'old\n'.repeat(100), kept: 'x' })
  await using remote = await served(repository)
  const options = optionsFor(`${remote.url}/app`)
  await (await openCommit(options))[Symbol.asyncDispose]()
  const packs = () => readdir(join(options.directory, 'content.git/objects/pack'))
  const before = await packs()

  remote.requests.length = 0
  await (await openCommit(options))[Symbol.asyncDispose]()
  expect(remote.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
  expect(await packs()).toEqual(before)

  await repository.commit({ new: 'new' })
  await using snapshot = await openCommit(options)
  expect(await contentsOf(snapshot)).toEqual({ old: 'old\n'.repeat(100), kept: 'x', new: 'new' })
  expect((await snapshot.history(signal)).commits).toBe(2)
  expect((await packs()).length).toBeGreaterThan(before.length)
})

test('has the files of a commit that returns to an older state', async () => {
  await using repository = await createGitRepository({ a: 'first' })
  await using remote = await served(repository)
  const options = optionsFor(`${remote.url}/app`)
  for (const content of ['second', 'third', 'first', 'second']) {
    await repository.commit({ a: content })
    await using snapshot = await openCommit(options)
    expect(await contentsOf(snapshot)).toEqual({ a: content })
    await snapshot.history(signal)
  }
})

test('follows a branch that was replaced by a force push', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using remote = await served(repository)
  const options = optionsFor(`${remote.url}/app`)
  await (await openCommit(options))[Symbol.asyncDispose]()
  await repository.git('checkout', '--quiet', '--orphan', 'other')
  await repository.commit({ b: '2' })
  await repository.git('branch', '--force', 'main', 'other')
  await using snapshot = await openCommit(options)
  expect(snapshot.entries.map((entry) => entry.path)).toEqual(['a', 'b'])
  expect((await snapshot.history(signal)).commits).toBe(1)
})

test('starts a new clone when the project gets another repository', async () => {
  await using other = await createGitRepository({ other: '1' })
  await using remote = await startGitHost({ app: app.path, other: other.path })
  const directory = newClone()
  await (await open(`${remote.url}/app`, { directory }))[Symbol.asyncDispose]()
  await using snapshot = await open(`${remote.url}/other`, { directory })
  expect(snapshot.entries.map((entry) => entry.path)).toEqual(['other'])
})

test('counts only the newest commits where there are more than wanted', async () => {
  const limits = { ...defaultSourceLimits, historyCommits: 2 }
  for (const [, url] of places) {
    await using snapshot = await open(url(), { limits })
    const history = await snapshot.history(signal)
    expect([history.commits, Object.fromEntries(history.changes)]).toEqual([
      2,
      { 'src/a.ts': 1, 'src/b.ts': 1, 'bin/run.sh': 1, link: 1 },
    ])
  }
  await using snapshot = await open(`${host.url}/app`, { limits })
  await expect(snapshot.changesOnTopOf('HEAD~3', signal)).rejects.toMatchObject({
    code: 'reference_not_found',
    message: '"HEAD~3" is too far back: Assay reads the last 2 commits. Use a later commit.',
  })
})

test('leaves merges out of the history, and does not take the end of a shallow one for a change', async () => {
  await using repository = await createGitRepository({ base: '1' })
  await repository.git('checkout', '--quiet', '-b', 'side')
  await repository.commit({ side: '1' })
  await repository.git('checkout', '--quiet', 'main')
  await repository.commit({ main: '1' })
  await repository.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'merge', '--quiet', '--no-edit', 'side')
  await using remote = await served(repository)
  // Deep enough to reach the sides but not what they have in common.
  await using snapshot = await open(`${remote.url}/app`, { limits: { ...defaultSourceLimits, historyCommits: 2 } })
  expect(Object.fromEntries((await snapshot.history(signal)).changes)).toEqual({ side: 1, main: 1 })

  const shallow = join(folder, 'shallow')
  await repository.git('clone', '--quiet', '--depth=1', `file://${repository.path}`, shallow)
  await using cut = await open(shallow)
  expect(cut.entries).toHaveLength(3)
  expect((await cut.history(signal)).commits).toBe(0)
  expect(cut.warnings).toEqual([{ code: 'history_unknown', message: expect.any(String) }])
})

test('leaves blobs over the limit where they are and names them', async () => {
  await using repository = await createGitRepository({ 'exact.bin': 'x'.repeat(1_000), 'over.bin': 'y'.repeat(1_001) })
  const limits = { ...defaultSourceLimits, maxBlobBytes: 1_000 }
  for (const filters of [true, false]) {
    await using remote = await served(repository, { filters })
    for (const url of [`${remote.url}/app`, repository.path]) {
      await using snapshot = await open(url, { limits })
      expect(await contentsOf(snapshot)).toEqual({ 'exact.bin': 'x'.repeat(1_000), 'over.bin': null })
      expect(snapshot.entries[1]?.size).toBe(url === repository.path || !filters ? 1_001 : null)
      expect(snapshot.warnings).toEqual([{ code: 'too_large', path: 'over.bin', message: expect.any(String) }])
      expect((await snapshot.history(signal)).commits).toBe(1)
    }
  }
})

test('never asks the server for objects that were left out', async () => {
  await using repository = await createGitRepository({ 'over.bin': 'y'.repeat(1_001), a: '1' })
  await using remote = await served(repository)
  await using snapshot = await open(`${remote.url}/app`, { limits: { ...defaultSourceLimits, maxBlobBytes: 1_000 } })
  await snapshot.history(signal)
  remote.requests.length = 0
  await contentsOf(snapshot)
  const [over] = snapshot.entries
  // As if its size had been known: even then its content must not be fetched.
  const known = { path: 'over.bin', mode: '100644', size: 10, blobId: snapshot.entries[1]?.blobId ?? '' }
  expect(over?.path).toBe('a')
  for await (const { content } of snapshot.read([known], signal)) expect(content).toBeNull()
  expect(remote.requests).toEqual([])
})

test('gives out no more content than the limit of all', async () => {
  await using repository = await createGitRepository({ a: 'a'.repeat(60), b: 'b'.repeat(60), c: 'c'.repeat(30) })
  await using snapshot = await open(repository.path, { limits: { ...defaultSourceLimits, maxTotalBytes: 100 } })
  const expected = { a: 'a'.repeat(60), b: null, c: 'c'.repeat(30) }
  expect(await contentsOf(snapshot)).toEqual(expected)
  // Reading a file again costs nothing, and says nothing new.
  expect(await contentsOf(snapshot)).toEqual(expected)
  expect(snapshot.warnings).toEqual([{ code: 'limit_reached', path: 'b', message: expect.any(String) }])
})

test('reads in the order asked for, and stops when the reader does', async () => {
  await using snapshot = await open(app.path)
  const wanted = [3, 0, 3, 4].flatMap((index) => snapshot.entries[index] ?? [])
  const paths: string[] = []
  for await (const { entry, content } of snapshot.read(wanted, signal)) {
    expect(content).not.toBeNull()
    paths.push(entry.path)
  }
  expect(paths).toEqual(['src/a.ts', 'README.md', 'src/a.ts', 'src/b.ts'])
  for await (const { entry } of snapshot.read(wanted, signal)) {
    expect(entry.path).toBe('src/a.ts')
    break
  }
  const stop = new AbortController()
  const reading = snapshot.read(wanted, stop.signal)[Symbol.asyncIterator]()
  await reading.next()
  stop.abort(new Error('enough'))
  await expect(reading.next()).rejects.toThrow('enough')
})

test('reads around damaged and missing objects', async () => {
  await using repository = await createGitRepository({ a: '1', b: '2', c: '3', d: '4' })
  const file = async (name: string) => {
    const id = await repository.git('rev-parse', `HEAD:${name}`)
    return join(repository.path, '.git/objects', id.slice(0, 2), id.slice(2))
  }
  await using snapshot = await open(repository.path)
  await rm(await file('b'))
  await rm(await file('c'))
  await repository.write({ [`.git/objects/${(await file('c')).slice(-41)}`]: 'rubbish' })
  expect(await contentsOf(snapshot)).toEqual({ a: '1', b: null, c: null, d: '4' })
  expect(snapshot.warnings.map(({ code, path }) => [code, path])).toEqual([
    ['missing_content', 'b'],
    ['missing_content', 'c'],
  ])
})

test('names contents that are missing or damaged before the commit is opened', async () => {
  await using repository = await createGitRepository({ a: '1', b: '2', c: '3', d: '4' })
  const object = async (name: string) => {
    const id = await repository.git('rev-parse', `HEAD:${name}`)
    return `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`
  }
  await rm(join(repository.path, await object('b')))
  await rm(join(repository.path, await object('c')))
  await repository.write({ [await object('c')]: 'rubbish' })
  await using snapshot = await open(repository.path)
  expect(snapshot.entries.map(({ path, size }) => [path, size])).toEqual([
    ['a', 1],
    ['b', null],
    ['c', null],
    ['d', 1],
  ])
  expect(snapshot.warnings.map(({ code, path }) => [code, path])).toEqual([
    ['missing_content', 'b'],
    ['missing_content', 'c'],
  ])
})

test.each(['on a path', 'on a server'])(
  'compares %s while the files are listed, and stops that if they cannot be',
  async (place) => {
    await using repository = await createGitRepository({ a: '1', b: '1' })
    await repository.git('checkout', '-q', '-b', 'feature')
    await repository.commit({ a: '2' })
    await using server = place === 'on a server' ? await served(repository) : undefined
    const options = optionsFor(server === undefined ? repository.path : `${server.url}/app`, {
      ref: { branch: 'feature' },
      comparedWith: 'main',
    })
    const tooFew = { ...options, limits: { ...defaultSourceLimits, maxFiles: 1 } }
    await expect(openCommit(tooFew)).rejects.toMatchObject({ code: 'too_large' })
    await using snapshot = await openCommit(options)
    const { baseSha, changes } = await snapshot.changesOnTopOf('main', signal)
    expect(baseSha).toBe(await repository.git('rev-parse', 'main'))
    expect([...changes.changed.keys()]).toEqual(['a'])
    expect((await snapshot.changesOnTopOf('HEAD', signal)).changes.changed.size).toBe(0)
    await expect(snapshot.changesOnTopOf('nowhere', signal)).rejects.toThrow('nowhere')
  },
)

test('does not trust a forged size', async () => {
  await using repository = await createGitRepository({ a: '1', 'big.bin': 'x'.repeat(2_000), z: '2' })
  await using snapshot = await open(repository.path, { limits: { ...defaultSourceLimits, maxBlobBytes: 1_000 } })
  const claimed = snapshot.entries.map((entry) => ({ ...entry, size: 1 }))
  const contents: (string | undefined)[] = []
  for await (const { content } of snapshot.read(claimed, signal)) contents.push(content?.toString())
  expect(contents).toEqual(['1', undefined, '2'])
})

test('works with servers that cannot leave out objects and speak the first protocol', async () => {
  await using remote = await served(app, { filters: false, protocolV2: false })
  await using snapshot = await open(`${remote.url}/app`)
  expect(Object.keys(await contentsOf(snapshot))).toHaveLength(5)
  expect((await snapshot.history(signal)).commits).toBe(4)
})

test('finds a commit in the branches of a server that gives out nothing else', async () => {
  await using remote = await served(app, { filters: false, protocolV2: false })
  const options = optionsFor(`${remote.url}/app`, { ref: { commitSha: commits[1] } })
  {
    await using snapshot = await openCommit(options)
    expect([snapshot.commitSha, snapshot.entries.length]).toEqual([commits[1], 2])
    expect((await snapshot.history(signal)).commits).toBe(2)
  }
  await using again = await openCommit({ ...options, ref: { branch: 'main', commitSha: commits[0] } })
  expect(again.entries).toHaveLength(2)
  await expect(
    open(`${remote.url}/app`, {
      ref: { commitSha: commits[0], branch: 'main' },
      limits: { ...defaultSourceLimits, historyCommits: 1 },
    }),
  ).rejects.toMatchObject({ code: 'commit_not_found', message: expect.stringContaining('Analyze the branch instead') })
  await expect(open(`${remote.url}/app`, { ref: { commitSha: '1'.repeat(40) } })).rejects.toMatchObject({
    code: 'commit_not_found',
  })
})

test('does without history where fetching it costs too much, and does not try again', async () => {
  await using repository = await createGitRepository()
  for (let index = 0; index < 8; index++) {
    await repository.commit({ 'noise.bin': randomBytes(60_000) })
  }
  await using remote = await served(repository, { filters: false })
  const limits = { ...defaultSourceLimits, maxCloneBytes: 400_000 }
  const options = optionsFor(`${remote.url}/app`, { limits })
  for (const attempt of [1, 2]) {
    await using snapshot = await openCommit(options)
    remote.requests.length = 0
    expect((await snapshot.history(signal)).commits).toBe(0)
    expect(snapshot.warnings).toMatchObject([{ code: 'history_unknown', message: expect.stringContaining('disk') }])
    if (attempt === 2) expect(remote.requests).toEqual([])
  }
})

test('uses the address to which some hosts redirect', async () => {
  await using remote = await served(app, { suffix: '.git' })
  const options = optionsFor(`${remote.url}/app`)
  for (const attempt of ['first', 'second']) {
    await using snapshot = await openCommit(options)
    expect([attempt, snapshot.commitSha]).toEqual([attempt, commits[3]])
  }
  await expect(open(`${remote.url}/nothing`)).rejects.toMatchObject({ code: 'url_refused' })
})

test.each([
  [401, 'authentication_required', /requires signing in/],
  [403, 'authentication_required', /requires signing in/],
  [404, 'not_found', /no repository at this URL/],
  [410, 'not_found', /no repository at this URL/],
  [429, 'unreachable', /status 429/],
  [500, 'unreachable', /status 500/],
])('explains the status %i of a server as %s', async (status, code, message) => {
  await using remote = await served(app, { status })
  await expect(open(`${remote.url}/app`)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
})

test('explains servers and paths where there is no git', async () => {
  await expect(open('http://127.0.0.1:1/app')).rejects.toMatchObject({ code: 'unreachable' })
  await expect(open('https://nowhere.invalid/app')).rejects.toMatchObject({
    code: 'unreachable',
    message: 'The host name nowhere.invalid could not be resolved.',
  })
  for (const path of [folder, join(folder, 'missing'), '/etc/passwd', join(app.path, 'src')]) {
    await expect(open(path)).rejects.toMatchObject({ code: 'not_a_repository', message: expect.stringContaining(path) })
  }
})

test('signs in with a credential', async () => {
  const credential = { username: 'ada', password: 'secret:with:colons' }
  await using remote = await served(app, { credential })
  await using snapshot = await open(`${remote.url}/app`, { credential })
  expect(Object.keys(await contentsOf(snapshot))).toHaveLength(5)
  expect((await snapshot.history(signal)).commits).toBe(4)
})

test('opens the branch that is checked out, also if a tag has its name, and a commit that is', async () => {
  await using own = await createGitRepository()
  const sha = await own.commit({ a: '1\n' })
  await own.git('checkout', '--quiet', '-b', 'next')
  await own.git('tag', 'next')
  {
    await using snapshot = await openCommit(optionsFor(own.path))
    expect(snapshot).toMatchObject({ commitSha: sha, branch: 'next' })
  }
  // JavaScript takes this character for the end of a line.
  await own.git('checkout', '--quiet', '-b', 'next\u2028one')
  {
    await using snapshot = await openCommit(optionsFor(own.path))
    expect(snapshot).toMatchObject({ commitSha: sha, branch: 'next\u2028one' })
  }
  await own.git('checkout', '--quiet', '--detach')
  await using snapshot = await openCommit(optionsFor(own.path))
  expect(snapshot).toMatchObject({ commitSha: sha, branch: undefined })
})

test('reads a bare repository and a linked working tree of this machine', async () => {
  const bare = join(folder, 'bare.git')
  const linked = join(folder, 'linked')
  await app.git('clone', '--quiet', '--bare', app.path, bare)
  await app.git('worktree', 'add', '--quiet', linked, 'HEAD~1')
  await using one = await open(bare)
  await using two = await open(linked)
  expect([one.commitSha, two.commitSha]).toEqual([commits[3], commits[2]])
  expect(two.branch).toBeUndefined()
})

test.each(places)('lists and reads only the files asked for of a repository %s', async (_place, url) => {
  await using some = await open(url(), { paths: ['src/b.ts', 'README.md', 'src', 'gone.ts', '-r', ':(top)bin'] })
  expect(await contentsOf(some)).toEqual({ 'README.md': '# App\n', 'src/b.ts': 'export const b = 1\n' })
  await using none = await open(url(), { paths: [] })
  expect(none.entries).toEqual([])
})

test.each([
  ['lead elsewhere', ['../README.md', '/README.md', './README.md', 'src//a.ts', 'src/../README.md', '']],
  ['are too long for arguments', Array.from({ length: 700 }, (_, index) => `${index}/${'y'.repeat(3_400)}.ts`)],
])('reads what there is where other paths %s', async (_how, paths) => {
  await using snapshot = await open(app.path, { paths: [...paths, 'src/b.ts'] })
  expect(await contentsOf(snapshot)).toEqual({ 'src/b.ts': 'export const b = 1\n' })
})

test('finds a file whose name is written with an escape', async () => {
  await using strange = await createGitRepository({ 'a\tb.ts': '1', 'a*.ts': '2', 'ab.ts': '3' })
  await using snapshot = await open(strange.path, { paths: [String.raw`a\x09b.ts`, 'a*.ts'] })
  expect(await contentsOf(snapshot)).toEqual({ [String.raw`a\x09b.ts`]: '1', 'a*.ts': '2' })
})

test('reports the number of listed files', async () => {
  const progress: string[] = []
  await using _snapshot = await open(app.path, {
    onProgress: ({ phase, filesDone, filesTotal }) => progress.push(`${phase} ${filesDone}/${filesTotal}`),
  })
  expect(progress).toEqual(['fetching 0/0', 'fetching 5/5'])
})
