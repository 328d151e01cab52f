import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type GitHostBehaviour, startGitHost } from './testing/git-host.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { defaultSourceLimits } from './types.ts'
import { openCommit, type OpenCommitOptions } from './commit.ts'
import type { CommitRef } from './reference.ts'

const signal = new AbortController().signal
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-on-branch-'))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

const limits = { ...defaultSourceLimits, historyCommits: 0 }

const open = (url: string, ref: CommitRef, more: Partial<OpenCommitOptions> = {}) =>
  openCommit({ url, directory, ref, allowLocal: true, allowCidrs: ['127.0.0.0/8'], limits, signal, ...more })

async function isOnBranch(url: string, ref: CommitRef, likely: string[] = [], isOnly = false): Promise<boolean> {
  await using snapshot = await open(url, ref)
  return snapshot.isOnBranch(likely, signal, { isOnly })
}

/** Asks whether each commit is on one branch, whatever other branches and tags lead to it. */
async function areOn(branch: string, url: string, own: Record<string, string>): Promise<string[]> {
  const found: string[] = []
  for (const [name, commitSha] of Object.entries(own)) {
    if (await isOnBranch(url, { commitSha }, [branch], true)) found.push(name)
  }
  return found
}

/** Two branches, a tag beside them, and what a stranger has proposed for the first, which is on neither. */
async function grow(repository: GitRepository, file = (name: string): string | Buffer => name) {
  const commit = (name: string) => repository.commit({ [name]: file(name) })
  const deep = await commit('a')
  await commit('b')
  await repository.git('branch', 'feature')
  const tip = await commit('c')
  await repository.git('checkout', '--quiet', 'feature')
  const featureDeep = await commit('d')
  const featureTip = await commit('e')
  await repository.git('checkout', '--quiet', '--detach')
  const released = await commit('f')
  const tagged = await commit('g')
  await repository.git('tag', '--annotate', '--message=One', 'v1')
  await repository.git('checkout', '--quiet', '--detach', 'main')
  const strangerDeep = await commit('h')
  const stranger = await commit('i')
  await repository.git('update-ref', 'refs/pull/7/head', 'HEAD')
  // No branch, whatever its name ends with.
  await repository.git('update-ref', 'refs/pull/refs/heads/main', 'HEAD')
  await repository.git('checkout', '--quiet', 'main')
  for (const name of ['uploadpack.allowAnySHA1InWant', 'uploadpack.allowFilter'])
    await repository.git('config', name, 'true')
  return { own: { deep, tip, featureDeep, featureTip, released, tagged }, strangers: { strangerDeep, stranger } }
}

test('of a repository of this machine, a commit has to be on a branch or tag', async () => {
  await using repository = await createGitRepository({ z: 'z' })
  const { own, strangers } = await grow(repository)
  for (const commitSha of Object.values(own)) expect(await isOnBranch(repository.path, { commitSha })).toBe(true)
  for (const commitSha of Object.values(strangers)) expect(await isOnBranch(repository.path, { commitSha })).toBe(false)
  expect(await isOnBranch(repository.path, { branch: 'feature' })).toBe(true)
  expect(await areOn('main', repository.path, own)).toEqual(['deep', 'tip'])
  expect(await areOn('feature', repository.path, own)).toEqual(['deep', 'featureDeep', 'featureTip'])
  expect(await areOn('gone', repository.path, own)).toEqual([])
  // Git takes what looks like the output of `git describe` for the commit that it ends with.
  expect(await isOnBranch(repository.path, { branch: `x-g${strangers.stranger}` })).toBe(false)
})

const servers: [string, GitHostBehaviour][] = [
  ['that can leave out files', {}],
  ['that sends everything', { filters: false }],
  ['of the old protocol', { protocolV2: false }],
]

test.each(servers)('of a server %s, too', async (_, behaviour) => {
  await using repository = await createGitRepository({ z: 'z' })
  const { own, strangers } = await grow(repository)
  await using host = await startGitHost({ app: repository.path }, behaviour)
  const url = `${host.url}/app`
  for (const commitSha of [own.deep, own.featureDeep, own.released, own.tagged]) {
    expect(await isOnBranch(url, { commitSha }, ['gone', 'main'])).toBe(true)
  }
  expect(await isOnBranch(url, { commitSha: own.featureDeep })).toBe(true)
  expect(await areOn('main', url, own)).toEqual(['deep', 'tip'])
  expect(await areOn('feature', url, own)).toEqual(['deep', 'featureDeep', 'featureTip'])
  expect(await isOnBranch(url, { commitSha: strangers.strangerDeep })).toBe(false)
  expect(await isOnBranch(url, { branch: 'main', commitSha: strangers.stranger }, ['main'])).toBe(false)
  expect((await readdir(directory)).filter((name) => name.startsWith('ancestry'))).toEqual([])
})

test('the tip of the branch that was named needs no question, that of another one needs one', async () => {
  await using repository = await createGitRepository({ z: 'z' })
  const { own } = await grow(repository)
  await using host = await startGitHost({ app: repository.path })
  const asked = async (ref: CommitRef) => {
    await using snapshot = await open(`${host.url}/app`, ref)
    host.requests.length = 0
    expect(await snapshot.isOnBranch(['main'], signal)).toBe(true)
    return host.requests.filter((request) => request.startsWith('GET')).length
  }
  expect(await asked({ branch: 'main' })).toBe(0)
  expect(await asked({ branch: 'v1' })).toBe(0)
  expect(await asked({ branch: 'main', commitSha: own.tip })).toBe(0)
  expect(await asked({ commitSha: own.tip })).toBe(0)
  expect(await asked({ commitSha: own.featureTip })).toBe(1)
  expect(await asked({ commitSha: own.deep })).toBe(2)
})

test.each([true, false])('the last thousand commits of a server count, which leaves out files: %s', async (filters) => {
  await using repository = await createGitRepository()
  const commits = Array.from(
    { length: 1_100 },
    (_, index) =>
      `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_700_000_000 + index} +0000\ndata 0\n` +
      `M 100644 inline a\ndata <<END\n${index}\nEND\n\n`,
  )
  await repository.gitWithInput(commits.join(''), 'fast-import', '--quiet')
  await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  await using host = await startGitHost({ app: repository.path }, { filters })
  const back = (count: number) => repository.git('rev-parse', `main~${count}`)
  const answers = async (likely: string[]) => {
    const asked = [49, 60, 999, 1_050].map(async (count) => [count, { commitSha: await back(count) }] as const)
    const found: [number, boolean][] = []
    for (const [count, ref] of await Promise.all(asked))
      found.push([count, await isOnBranch(`${host.url}/app`, ref, likely)])
    return Object.fromEntries(found)
  }
  const expected = { 49: true, 60: true, 999: true, 1_050: false }
  expect(await answers(['main'])).toEqual(expected)
  expect(await answers([])).toEqual(expected)
})

test('fetches commits without files to find the branch of a commit', async () => {
  await using repository = await createGitRepository({ z: 'z' })
  const { own } = await grow(repository, () => randomBytes(300_000))
  await using host = await startGitHost({ app: repository.path })
  await using snapshot = await open(
    `${host.url}/app`,
    { commitSha: own.deep },
    { limits: { ...limits, maxCloneBytes: 2_000_000 } },
  )
  expect(await snapshot.isOnBranch(['main'], signal)).toBe(true)
  host.behaviour.filters = false
  await expect(snapshot.isOnBranch(['feature'], signal)).rejects.toMatchObject({ code: 'too_large' })
  // What was fetched before is still there.
  for await (const { content } of snapshot.read(snapshot.entries, signal)) expect(content).not.toBeNull()
})

test('a server that refuses or stalls says nothing about the commit', async () => {
  await using repository = await createGitRepository({ z: 'z' })
  const { own } = await grow(repository)
  await using host = await startGitHost({ app: repository.path })
  await using snapshot = await open(
    `${host.url}/app`,
    { commitSha: own.deep },
    { limits: { ...limits, fetchTimeoutMs: 3_000 } },
  )
  host.behaviour.status = 503
  await expect(snapshot.isOnBranch(['main'], signal)).rejects.toMatchObject({ code: 'unreachable' })
  delete host.behaviour.status
  host.behaviour.stallAfterBytes = 10
  await expect(snapshot.isOnBranch(['main'], signal)).rejects.toMatchObject({
    code: 'timeout',
    message: 'Looking for the commit on the branches took longer than 3 s and was stopped.',
  })
  const cancelled = AbortSignal.timeout(100)
  await expect(snapshot.isOnBranch(['main'], cancelled)).rejects.toMatchObject({ code: 'cancelled' })
  delete host.behaviour.stallAfterBytes
  expect(await snapshot.isOnBranch(['main'], signal)).toBe(true)
})
