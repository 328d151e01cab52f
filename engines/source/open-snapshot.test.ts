import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommitSnapshot, openCommit, type OpenCommitOptions } from './commit.ts'
import type { SnapshotSource } from './snapshot.ts'
import { startGitHost } from './testing/git-host.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { sendSnapshot } from './testing/send-snapshot.ts'
import { defaultSourceLimits, type Snapshot } from './types.ts'

const signal = new AbortController().signal
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-snapshot-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (url: string, options: Partial<OpenCommitOptions> = {}): Promise<CommitSnapshot> =>
  openCommit({
    url,
    directory: join(folder, 'clone'),
    ref: {},
    allowLocal: true,
    allowCidrs: ['127.0.0.0/8'],
    limits: defaultSourceLimits,
    signal,
    ...options,
  })

async function contentsOf(snapshot: Snapshot) {
  const contents: Record<string, string | null> = {}
  for await (const { entry, content } of snapshot.read(snapshot.entries, signal))
    contents[entry.path] = content?.toString() ?? null
  return contents
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The user's checkout, with the history of the server's repository. */
async function cloneOf(server: GitRepository): Promise<GitRepository> {
  const checkout = await createGitRepository()
  await checkout.git('fetch', '--quiet', server.path, 'main')
  await checkout.git('reset', '--quiet', '--hard', 'FETCH_HEAD')
  return checkout
}

const long = (end: string) => `${'a line that stays\n'.repeat(40)}${end}\n`

async function createServer(): Promise<{ server: GitRepository; first: string; baseSha: string }> {
  const server = await createGitRepository({ 'a.txt': long('one'), 'b.txt': 'b', 'src/c.txt': 'c' })
  const first = await server.git('rev-parse', 'HEAD')
  const baseSha = await server.commit({ 'a.txt': long('two') })
  await server.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  await server.git('config', 'uploadpack.allowFilter', 'true')
  return { server, first, baseSha }
}

describe.each(['local', 'remote'])('on a %s repository', (kind) => {
  async function serve(server: GitRepository) {
    const host = kind === 'remote' ? await startGitHost({ app: server.path }) : undefined
    return {
      host,
      url: host ? `${host.url}/app` : server.path,
      [Symbol.asyncDispose]: async () => host?.[Symbol.asyncDispose](),
    }
  }

  async function send(url: string, checkout: GitRepository, baseSha: string): Promise<SnapshotSource> {
    await using base = await open(url, { ref: { commitSha: baseSha } })
    // Awaited here, before the base is disposed of.
    return await sendSnapshot(checkout, { base, folder })
  }

  test('a snapshot is a commit like others: files, contents, checkout, comparison and history', async () => {
    const { server, first, baseSha } = await createServer()
    await using _server = server
    await using served = await serve(server)
    await using checkout = await cloneOf(server)
    const local = await checkout.commit({ 'local.txt': 'a local commit' })
    await rm(join(checkout.path, 'b.txt'))
    await checkout.write({ 'a.txt': long('three'), 'new.txt': 'new', link: { linkTo: '../../etc/passwd' } })
    const snapshot = await send(served.url, checkout, baseSha)
    // Nothing remains of the folder where the base was opened.
    await rm(join(folder, 'clone'), { recursive: true, force: true })

    await using opened = await open(served.url, { snapshot })
    expect(opened).toMatchObject({ commitSha: snapshot.commitSha, branch: undefined, warnings: [] })
    expect(await contentsOf(opened)).toEqual({
      'a.txt': long('three'),
      link: '../../etc/passwd',
      'local.txt': 'a local commit',
      'new.txt': 'new',
      'src/c.txt': 'c',
    })
    expect(await opened.isOnBranch(['main'], signal)).toBe(false)

    // The checkout of a link that leads out is that of a commit: a link, which is followed only in the sandbox.
    const directory = join(folder, 'checkout')
    await opened.checkOut(directory, signal)
    expect((await readdir(directory)).toSorted()).toEqual(['.git', 'a.txt', 'link', 'local.txt', 'new.txt', 'src'])
    expect(await readFile(join(directory, 'a.txt'), 'utf8')).toBe(long('three'))
    expect(await readlink(join(directory, 'link'))).toBe('../../etc/passwd')

    const sinceBase = await opened.changesSince(baseSha, signal)
    expect([...sinceBase.added].toSorted()).toEqual(['link', 'local.txt', 'new.txt'])
    expect([...sinceBase.gone]).toEqual(['b.txt'])
    expect(sinceBase.changed.get('a.txt')?.hunks).toEqual([{ oldStart: 41, oldLines: 1, newStart: 41, newLines: 1 }])
    expect([...(await opened.changesSince(local, signal)).added].toSorted()).toEqual(['link', 'new.txt'])
    expect([...(await opened.changesSince(first, signal)).changed.keys()]).toEqual(['a.txt'])
    await expect(opened.changesSince('1'.repeat(40), signal)).rejects.toMatchObject({ name: 'RepositoryError' })

    // The commits that a user sees below the working tree.
    const history = await opened.history(signal)
    expect(history.commits).toBe(3)
    expect(Object.fromEntries(history.changes)).toEqual({ 'a.txt': 2, 'local.txt': 1, 'src/c.txt': 1 })
    const nearest = await collect(opened.nearestOf(new Set([first, baseSha, local]), signal))
    expect(nearest).toEqual([
      { commitSha: local, behind: 1 },
      { commitSha: baseSha, behind: 2 },
      { commitSha: first, behind: 3 },
    ])
    const own = await collect(opened.nearestOf(new Set([snapshot.commitSha, first]), signal))
    expect(own.map(({ behind }) => behind)).toEqual([0, 3])
  })

  test('is compared with what it has in common with a branch, a commit or HEAD', async () => {
    const { server, first, baseSha } = await createServer()
    await using _server = server
    await using checkout = await cloneOf(server)
    const local = await checkout.commit({ 'local.txt': 'a local commit' })
    await checkout.write({ 'new.txt': 'new' })
    await using served = await serve(server)
    const snapshot = await send(served.url, checkout, baseSha)
    // The branch goes on, and another one leaves it.
    await server.commit({ 'later.txt': 'later' })
    await server.git('branch', 'old', first)
    await using opened = await open(served.url, { snapshot })
    const baseOf = async (reference: string) => (await opened.changesOnTopOf(reference, signal)).baseSha
    expect(await baseOf('main')).toBe(baseSha)
    expect(await baseOf('old')).toBe(first)
    expect(await baseOf('HEAD')).toBe(local)
    expect(await baseOf('HEAD~1')).toBe(baseSha)
    expect(await baseOf(local)).toBe(local)
    expect(await baseOf(baseSha)).toBe(baseSha)
    expect([...(await opened.changesOnTopOf('HEAD', signal)).changes.added]).toEqual(['new.txt'])
    expect([...(await opened.changesOnTopOf('main', signal)).changes.added].toSorted()).toEqual([
      'local.txt',
      'new.txt',
    ])
    await expect(opened.changesOnTopOf('HEAD~99999', signal)).rejects.toMatchObject({
      code: 'reference_not_found',
      message: '"HEAD~99999" is before the first commit of the history. Use a later commit, such as HEAD~1.',
    })
    for (const reference of ['gone', '1'.repeat(40), '--all'])
      await expect(opened.changesOnTopOf(reference, signal)).rejects.toMatchObject({ code: 'reference_not_found' })
  })

  test('knows a merge with a branch that left before the base', async () => {
    const { server, baseSha } = await createServer()
    await using _server = server
    await using checkout = await cloneOf(server)
    await checkout.git('checkout', '--quiet', '-b', 'side', 'HEAD~1')
    await checkout.commit({ 'side.txt': 'side' })
    await checkout.git('checkout', '--quiet', 'main')
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
    await checkout.git(...author, 'merge', '--quiet', '--no-edit', 'side')
    const merge = await checkout.git('rev-parse', 'HEAD')
    await checkout.write({ 'new.txt': 'new' })
    await using served = await serve(server)
    const snapshot = await send(served.url, checkout, baseSha)
    await using opened = await open(served.url, { snapshot })
    expect(Object.keys(await contentsOf(opened))).toEqual(['a.txt', 'b.txt', 'new.txt', 'side.txt', 'src/c.txt'])
    const nearest = await collect(opened.nearestOf(new Set([merge, baseSha]), signal))
    expect(nearest.map(({ commitSha }) => commitSha)).toEqual([merge, baseSha])
    expect((await opened.history(signal)).changes.get('side.txt')).toBe(1)
    await opened.checkOut(join(folder, 'checkout'), signal)
  })

  test('without its base, says that a new snapshot is needed', async () => {
    const { server, baseSha } = await createServer()
    await using _server = server
    await using checkout = await cloneOf(server)
    await checkout.write({ 'new.txt': 'new' })
    await using served = await serve(server)
    const snapshot = await send(served.url, checkout, baseSha)
    await rm(join(folder, 'clone'), { recursive: true, force: true })
    await server.git('reset', '--quiet', '--hard', 'HEAD~1')
    await server.git('reflog', 'expire', '--expire=now', '--all')
    await server.git('gc', '--quiet', '--prune=now')
    await expect(open(served.url, { snapshot })).rejects.toMatchObject({
      code: 'commit_not_found',
      message: expect.stringMatching(new RegExp(`${baseSha}.*Create a new snapshot`)),
    })
    await rm(snapshot.gitDir, { recursive: true })
    await expect(open(served.url, { snapshot })).rejects.toMatchObject({
      code: 'commit_not_found',
      message: expect.stringContaining('were deleted'),
    })
    expect(await readdir(folder)).not.toContain('clone')
  })
})

test('a snapshot without a base needs nothing of the repository', async () => {
  await using checkout = await createGitRepository({ 'a.txt': 'a', 'src/b.txt': 'b' })
  await checkout.write({ 'new.txt': 'new' })
  const snapshot = await sendSnapshot(checkout, { base: null, folder })
  await using host = await startGitHost({}, { status: 500 })
  await using opened = await open(`${host.url}/app`, { snapshot })
  expect(await contentsOf(opened)).toEqual({ 'a.txt': 'a', 'new.txt': 'new', 'src/b.txt': 'b' })
  await opened.checkOut(join(folder, 'checkout'), signal)
  expect(await opened.history(signal)).toMatchObject({ commits: 0 })
  expect(opened.warnings).toMatchObject([{ code: 'history_unknown' }])
  expect(await collect(opened.nearestOf(new Set(['1'.repeat(40)]), signal))).toEqual([])
  await expect(opened.changesOnTopOf('main', signal)).rejects.toMatchObject({ code: 'reference_not_found' })
  await expect(opened.changesSince('1'.repeat(40), signal)).rejects.toMatchObject({ code: 'commit_not_found' })
  expect(host.requests).toEqual([])
})

test('a base that is still in the clone needs no request', async () => {
  const { server, baseSha } = await createServer()
  await using _server = server
  await using checkout = await cloneOf(server)
  await checkout.write({ 'new.txt': 'new' })
  await using host = await startGitHost({ app: server.path })
  const url = `${host.url}/app`
  let snapshot
  {
    await using base = await open(url, { ref: { commitSha: baseSha } })
    await base.history(signal)
    snapshot = await sendSnapshot(checkout, { base, folder })
  }
  host.requests.length = 0
  await using opened = await open(url, { snapshot, isKnown: true })
  expect((await opened.history(signal)).commits).toBe(2)
  expect(host.requests).toEqual([])
})

test('files over the size limit of the clone are as in a commit, whether the base has them or the snapshot', async () => {
  const { server } = await createServer()
  await using _server = server
  const baseSha = await server.commit({ 'big.bin': randomBytes(200_000), 'other.bin': randomBytes(200_000) })
  await using checkout = await cloneOf(server)
  await checkout.write({ 'new.txt': 'new', 'mine.bin': randomBytes(200_000) })
  await using host = await startGitHost({ app: server.path })
  const limits = { ...defaultSourceLimits, maxBlobBytes: 100_000 }
  const url = `${host.url}/app`
  await using base = await open(url, { ref: { commitSha: baseSha }, limits, directory: join(folder, 'first') })
  const snapshot = await sendSnapshot(checkout, { base, folder })
  await using opened = await open(url, { snapshot, limits })
  const contents = await contentsOf(opened)
  expect([contents['new.txt'], contents['big.bin'], contents['mine.bin']]).toEqual(['new', null, null])
  expect(opened.warnings.map(({ code, path }) => `${code} ${path}`).toSorted()).toEqual([
    'too_large big.bin',
    'too_large mine.bin',
    'too_large other.bin',
  ])
  const { changed, added } = await opened.changesSince(baseSha, signal)
  expect([[...changed.keys()], [...added].toSorted()]).toEqual([[], ['mine.bin', 'new.txt']])
})

test('works with the object format of SHA-256', async () => {
  await using server = await createGitRepository({ 'a.txt': long('one') }, { objectFormat: 'sha256' })
  const baseSha = await server.git('rev-parse', 'HEAD')
  await server.write({ 'a.txt': long('two') })
  await using base = await open(server.path, { ref: { commitSha: baseSha }, directory: join(folder, 'first') })
  const snapshot = await sendSnapshot(server, { base, folder })
  expect(snapshot.commitSha).toHaveLength(64)
  await using opened = await open(server.path, { snapshot })
  expect(await contentsOf(opened)).toEqual({ 'a.txt': long('two') })
})

test('two opened snapshots of a project wait for each other, and leave nothing in its clone', async () => {
  const { server, baseSha } = await createServer()
  await using _server = server
  const snapshots: SnapshotSource[] = []
  for (const name of ['one', 'two']) {
    await server.write({ 'new.txt': name })
    await using base = await open(server.path, { ref: { commitSha: baseSha } })
    snapshots.push(await sendSnapshot(server, { base, folder, name }))
  }
  const read = async (snapshot: SnapshotSource) => {
    await using opened = await open(server.path, { snapshot })
    return (await contentsOf(opened))['new.txt']
  }
  expect(await Promise.all([...snapshots, ...snapshots].map(read))).toEqual(['one', 'two', 'one', 'two'])
  expect(await readdir(folder)).not.toContain('clone')
})
