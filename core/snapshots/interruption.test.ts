import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listIfThere } from '../../engines/source/files.ts'
import { type GitHost, startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { slowPack } from '../../engines/source/testing/handmade-pack.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createDataDirectory, startWorker } from '../testing/worker.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { incomingDirectory, projectSnapshots } from './directories.ts'
import type { Snapshot } from './schema.ts'
import { beginUpload, type PackedTree, packTree, sendPack } from './testing.ts'

let app: TestApp
let repository: GitRepository
let host: GitHost
let token: string
let projectId: string
let packed: PackedTree
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  repository = await createGitRepository({ 'src/sum.js': 'export const sum = (a, b) => a + b\n' })
  host = await startGitHost({ app: repository.path })
  const user = await createUser(app)
  token = await createTokenFor(app, { user })
  projectId = (await createProjectFor(app, { user, repository: `${host.url}/app` })).id
  await repository.write({ 'data.bin': randomBytes(4 * 2 ** 20) })
  packed = await packTree(repository)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

const soon = { timeout: 30_000 }

type Data = Parameters<typeof incomingDirectory>[0]

/** Sends half of a pack, and waits until the server has it. */
async function sendHalf(url: string, config: Data): Promise<Disposable> {
  const half = Math.floor(packed.pack.length / 2)
  const socket = beginUpload(url, token, projectId, packed, half)
  const incoming = incomingDirectory(config)
  await vi.waitFor(async () => {
    const [name = ''] = await listIfThere(incoming)
    expect((await stat(join(incoming, name, 'received.pack'))).size).toBe(half)
  }, soon)
  return { [Symbol.dispose]: () => void socket.destroy() }
}

/** Sends a pack that keeps git busy, and waits until git reads it. */
async function sendSlowPack(url: string, config: Data): Promise<Disposable> {
  const socket = beginUpload(url, token, projectId, { ...packed, pack: slowPack() })
  await vi.waitFor(async () => expect(await gitsIn(incomingDirectory(config))).not.toEqual([]), soon)
  return { [Symbol.dispose]: () => void socket.destroy() }
}

/** The gits that work in a folder. */
async function gitsIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')))
  return environments.filter((text) => text.includes(`GIT_DIR=${folder}`))
}

const states = { 'a pack arrives': sendHalf, 'git reads a pack': sendSlowPack }

test.each(Object.entries(states))('a client that leaves while %s leaves nothing and no lock', async (_name, begin) => {
  const incoming = incomingDirectory(app.config)
  {
    using _upload = await begin(app.url, app.config)
  }
  await vi.waitFor(async () => expect(await listIfThere(incoming)).toEqual([]), soon)
  expect(await gitsIn(incoming)).toEqual([])
  const cached = await readdir(cacheDirectory(app.config, projectId), { recursive: true }).catch(() => [])
  expect(cached.filter((name) => /(?:^|[/])lock$|trash-|tmp/.test(name))).toEqual([])
  expect(await app.client(token).snapshots.list.query({ projectId })).toMatchObject({ snapshots: [] })
})

test.each(Object.entries(states))(
  'kill -9 while %s leaves nothing after the next start, and the upload succeeds',
  async (_name, begin) => {
    await using data = await createDataDirectory()
    const config = { dataDir: data.path }
    const incoming = incomingDirectory(config)
    const settings = { DATA_DIR: data.path, ROLE: 'web' }
    {
      await using server = await startWorker(app, settings)
      using _upload = await begin(server.url, config)
      server.kill()
    }
    expect(await readdir(incoming)).toHaveLength(1)
    await vi.waitFor(async () => expect(await gitsIn(incoming)).toEqual([]), soon)

    await using server = await startWorker(app, settings)
    expect(await readdir(incoming)).toEqual([])
    const response = await sendPack(server, token, projectId, packed)
    const snapshot = (await response.json()) as Snapshot
    expect([response.status, snapshot.treeSha]).toEqual([201, packed.tree])
    expect(await readdir(projectSnapshots(config, projectId))).toEqual([`${snapshot.id}.git`])
    expect(await readdir(incoming)).toEqual([])
    await app.client(token).snapshots.delete.mutate({ snapshotId: snapshot.id })
  },
)
