import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listIfThere } from '../../engines/source/files.ts'
import { type GitHost, startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { copies, objectOf, packOf } from '../../engines/source/testing/handmade-pack.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createDataDirectory, startWorker } from '../testing/worker.ts'
import { incomingDirectory, projectSnapshots } from './directories.ts'
import { packType } from './receive-pack.ts'
import { type PackedTree, packTree } from './testing.ts'

let app: TestApp
let repository: GitRepository
let host: GitHost
let token: string
let projectId: string
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  repository = await createGitRepository({ 'src/sum.js': 'export const sum = (a, b) => a + b\n' })
  host = await startGitHost({ app: repository.path })
  const user = await createUser(app)
  token = await createTokenFor(app, { user })
  projectId = (await createProjectFor(app, { user, repository: `${host.url}/app` })).id
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

const pathOf = ({ base, tree }: Omit<PackedTree, 'pack'>) =>
  `/api/v1/projects/${projectId}/snapshots?${new URLSearchParams({ ...(base && { base }), tree }).toString()}`

/** Sends the headers of an upload, and the first bytes of its pack. */
function begin(url: string, packed: PackedTree, bytes: number): AsyncDisposable {
  const { host: address, hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write(
    `POST ${pathOf(packed)} HTTP/1.1\r\nHost: ${address}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: ${packType}\r\nContent-Length: ${packed.pack.length}\r\n\r\n`,
  )
  socket.write(packed.pack.subarray(0, bytes))
  return { [Symbol.asyncDispose]: async () => void socket.destroy() }
}

/** The gits that work in a folder. */
async function gitsIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')))
  return environments.filter((text) => text.includes(`GIT_DIR=${folder}`))
}

const soon = { timeout: 30_000 }

test('kill -9 while a pack arrives leaves nothing after the next start, and the same upload succeeds', async () => {
  await repository.write({ 'data.bin': randomBytes(4 * 2 ** 20) })
  const packed = await packTree(repository)
  await using data = await createDataDirectory()
  const config = { dataDir: data.path }
  const settings = { DATA_DIR: data.path, ROLE: 'web' }
  const half = Math.floor(packed.pack.length / 2)
  {
    await using server = await startWorker(app, settings)
    await using _upload = begin(server.url, packed, half)
    await vi.waitFor(async () => {
      const [name = ''] = await listIfThere(incomingDirectory(config))
      expect((await stat(join(incomingDirectory(config), name, 'received.pack'))).size).toBe(half)
    }, soon)
    server.kill()
  }
  expect(await readdir(incomingDirectory(config))).toHaveLength(1)

  await using server = await startWorker(app, settings)
  expect(await readdir(incomingDirectory(config))).toEqual([])
  const response = await fetch(`${server.url}${pathOf(packed)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': packType },
    body: Uint8Array.from(packed.pack),
  })
  const snapshot = (await response.json()) as { id: string }
  expect([response.status, snapshot]).toEqual([201, expect.objectContaining({ treeSha: packed.tree })])
  expect(await readdir(projectSnapshots(config, projectId))).toEqual([`${snapshot.id}.git`])
  expect(await readdir(incomingDirectory(config))).toEqual([])
})

test('kill -9 while git reads a pack ends git, and leaves nothing after the next start', async () => {
  // Git would unpack its 78 GiB until the limit on processor time.
  const block = objectOf('blob', Buffer.alloc(16 * 2 ** 20))
  const deltas = Array.from({ length: 5_000 }, (_, index) => copies(block, 1, Buffer.from(String(index))))
  const packed = { base: undefined, tree: 'f'.repeat(40), pack: packOf([block, ...deltas]) }
  await using data = await createDataDirectory()
  const incoming = incomingDirectory({ dataDir: data.path })
  const settings = { DATA_DIR: data.path, ROLE: 'web' }
  {
    await using server = await startWorker(app, settings)
    await using _upload = begin(server.url, packed, packed.pack.length)
    await vi.waitFor(async () => expect(await gitsIn(incoming)).not.toEqual([]), soon)
    server.kill()
  }
  await vi.waitFor(async () => expect(await gitsIn(incoming)).toEqual([]), soon)
  expect(await readdir(incoming)).toHaveLength(1)
  await using _server = await startWorker(app, settings)
  expect(await readdir(incoming)).toEqual([])
})
