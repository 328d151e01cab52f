import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openCommit } from './commit.ts'
import { findKnownCommit, type FindKnownCommitOptions } from './find-known-commit.ts'
import { type GitHostBehaviour, startGitHost } from './testing/git-host.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { defaultSourceLimits } from './types.ts'

const signal = new AbortController().signal
let directory: string

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'assay-known-')), 'clone')
})

afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }))

const find = (url: string, commits: readonly string[], more: Partial<FindKnownCommitOptions> = {}) =>
  findKnownCommit({
    url,
    directory,
    commits,
    likely: ['main'],
    allowLocal: true,
    allowCidrs: ['127.0.0.0/8'],
    limits: defaultSourceLimits,
    signal,
    ...more,
  })

const commitsOf = async (repository: GitRepository, name = 'HEAD') =>
  (await repository.git('rev-list', name)).split('\n')

async function cloneOf(server: GitRepository): Promise<GitRepository> {
  const checkout = await createGitRepository()
  await checkout.git('fetch', '--quiet', server.path, 'main')
  await checkout.git('reset', '--quiet', '--hard', 'FETCH_HEAD')
  return checkout
}

async function createServer(): Promise<GitRepository> {
  const server = await createGitRepository({ a: '1' })
  for (const name of ['b', 'c', 'd']) await server.commit({ [name]: name })
  await server.git('config', 'uploadpack.allowFilter', 'true')
  return server
}

test.each<[string, GitHostBehaviour | undefined]>([
  ['of this machine', undefined],
  ['of a server', {}],
  ['of a server that cannot leave out files', { filters: false }],
  ['of a server with the old protocol', { protocolV2: false }],
])('finds the newest commit that a repository %s has', async (_name, behaviour) => {
  await using server = await createServer()
  await using host = await startGitHost({ app: server.path }, behaviour)
  const url = behaviour ? `${host.url}/app` : server.path
  const serverCommits = await commitsOf(server)
  await using checkout = await cloneOf(server)
  expect(await find(url, await commitsOf(checkout))).toBe(serverCommits[0])
  // Commits that were not pushed come first.
  await checkout.commit({ mine: '1' })
  await checkout.commit({ mine2: '2' })
  expect(await find(url, await commitsOf(checkout))).toBe(serverCommits[0])
  // The branch has gone on since, and the base is behind its tip.
  await server.commit({ later: '1' })
  await server.git('tag', 'v1', serverCommits[2] ?? '')
  expect(await find(url, await commitsOf(checkout))).toBe(serverCommits[0])
  // Also where nobody says which branch is likely.
  await server.git('tag', '--delete', 'v1')
  expect(await find(url, await commitsOf(checkout), { likely: [] })).toBe(serverCommits[0])
  expect(await find(url, await commitsOf(checkout), { likely: ['gone'] })).toBe(serverCommits[0])
  await using stranger = await createGitRepository({ x: 'x' })
  expect(await find(url, await commitsOf(stranger))).toBeNull()
  expect(await readdir(join(directory, '..'))).toEqual([])
})

test('finds the tip of a branch or tag with one request, and leaves no clone', async () => {
  await using server = await createServer()
  await using host = await startGitHost({ app: server.path })
  const [tip = '', , old = ''] = await commitsOf(server)
  await server.git('tag', '--annotate', '--message=One', 'v1', old)
  for (const [offered, known] of [
    [[tip, old], tip],
    [[old], old],
    [['1'.repeat(40), tip], tip],
  ] as const) {
    host.requests.length = 0
    expect(await find(`${host.url}/app`, offered)).toBe(known)
    expect(host.requests.filter((request) => request.startsWith('GET'))).toHaveLength(1)
  }
  expect(await readdir(join(directory, '..'))).toEqual([])
})

test('finds a commit in the history that an analysis has fetched', async () => {
  await using server = await createServer()
  await using host = await startGitHost({ app: server.path })
  const url = `${host.url}/app`
  const commits = await commitsOf(server)
  {
    await using opened = await openCommit({
      url,
      directory,
      ref: { branch: 'main' },
      allowLocal: true,
      allowCidrs: ['127.0.0.0/8'],
      limits: defaultSourceLimits,
      signal,
    })
    await opened.history(signal)
  }
  host.requests.length = 0
  expect(await find(url, ['1'.repeat(40), ...commits.slice(2)])).toBe(commits[2])
  expect(host.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
})

test('a rewritten history has only its common part', async () => {
  await using server = await createServer()
  await using checkout = await cloneOf(server)
  const offered = await commitsOf(checkout)
  await server.git('reset', '--quiet', '--hard', 'HEAD~2')
  await server.commit({ other: '1' })
  await using host = await startGitHost({ app: server.path })
  expect(await find(`${host.url}/app`, offered)).toBe(offered[2])
  await server.git('checkout', '--quiet', '--orphan', 'new')
  await server.commit({ other: '2' })
  await server.git('branch', '--quiet', '--force', 'main')
  expect(await find(`${host.url}/app`, offered)).toBeNull()
})

test('commits of other references of a server are not known', async () => {
  await using server = await createServer()
  const tip = await server.git('rev-parse', 'HEAD')
  await server.git('checkout', '--quiet', '--detach')
  const proposed = await server.commit({ proposed: '1' })
  await server.git('update-ref', 'refs/pull/7/head', proposed)
  await using host = await startGitHost({ app: server.path })
  expect(await find(`${host.url}/app`, [proposed, tip])).toBe(tip)
})

test('an empty list and garbage ask nobody', async () => {
  await using server = await createServer()
  await using host = await startGitHost({ app: server.path })
  const url = `${host.url}/app`
  for (const commits of [[], ['', 'HEAD', 'main', '--all', 'deadbeef', 'x'.repeat(40), `${'1'.repeat(40)}\n`]])
    expect(await find(url, commits)).toBeNull()
  expect(host.requests).toEqual([])
  expect(await find(server.path, ['HEAD', 'main', await server.git('rev-parse', 'HEAD:a')])).toBeNull()
  await expect(find('ext::sh -c true', ['1'.repeat(40)])).rejects.toMatchObject({ code: 'url_refused' })
  host.behaviour.status = 503
  await expect(find(url, ['1'.repeat(40)])).rejects.toMatchObject({ code: 'unreachable' })
})

test('offers the older commit that a tag has when the histories are too large', async () => {
  await using server = await createServer()
  const commits = await commitsOf(server)
  await server.git('tag', 'v1', commits[3] ?? '')
  await server.commit({ later: '1' })
  await using host = await startGitHost({ app: server.path }, { filters: false })
  const limits = { ...defaultSourceLimits, maxCloneBytes: 4 }
  expect(await find(`${host.url}/app`, commits, { limits })).toBe(commits[3])
})
