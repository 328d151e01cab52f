import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listIfThere } from '../../engines/source/files.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { incomingDirectory } from '../snapshots/directories.ts'
import { packType } from '../snapshots/receive-pack.ts'
import { type PackedTree, packTree } from '../snapshots/testing.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'

/** Longer than a busy machine takes until it reads a body. */
const bodyTimes = { requestMs: 5_000, uploadMs: 300_000 }

let app: TestApp
let repository: GitRepository
let packed: PackedTree
let token: string
let projectId: string
beforeAll(async () => {
  app = await createTestApp({ role: 'web', bodyTimes })
  repository = await createGitRepository({ 'src/sum.js': 'export const sum = (a, b) => a + b\n' })
  await repository.write({ 'data.bin': randomBytes(8 * 2 ** 20) })
  packed = await packTree(repository)
  const user = await createUser(app)
  token = await createTokenFor(app, { user })
  projectId = (await createProjectFor(app, { user, repository: repository.path })).id
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

const open = (path: string, type: string, bytes: number): ClientRequest =>
  request(`${app.url}${path}`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': bytes },
  })

/** Sends a body in parts, with a pause after each, until the answer is there. */
async function sendInParts(sent: ClientRequest, body: Buffer, { parts, pauseMs }: { parts: number; pauseMs: number }) {
  const startedAt = performance.now()
  const answering = once(sent, 'response') as Promise<[IncomingMessage]>
  const isAnswered = answering.then(() => true)
  const bytes = Math.ceil(body.length / parts)
  for (let at = 0; at < body.length; at += bytes) {
    sent.write(body.subarray(at, at + bytes))
    if (await Promise.race([sleep(pauseMs, false), isAnswered])) break
  }
  const [response] = await answering
  const answer = { status: response.statusCode, body: await text(response), ms: performance.now() - startedAt }
  sent.destroy()
  return answer
}

const snapshots = () =>
  `/api/v1/projects/${projectId}/snapshots?${new URLSearchParams({ base: packed.base ?? '', tree: packed.tree }).toString()}`
test.concurrent('a snapshot over a slow connection may take longer than other requests', async ({ expect }) => {
  const sent = open(snapshots(), packType, packed.pack.length)
  const { status, ms } = await sendInParts(sent, packed.pack, { parts: 8, pauseMs: 800 })
  expect(status).toBe(201)
  expect(ms).toBeGreaterThan(bodyTimes.requestMs)
})

test.concurrent('a report over a slow connection may take longer than other requests', async ({ expect }) => {
  const form = new FormData()
  form.set('branch', 'main')
  form.set('commitSha', 'a'.repeat(40))
  form.append('reports', new Blob(['<testsuite name="cart"><testcase name="adds"/></testsuite>']), 'junit.xml')
  form.append('artifacts', new Blob([randomBytes(8 * 2 ** 20)]), 'video.bin')
  const encoded = new Response(form)
  const body = Buffer.from(await encoded.arrayBuffer())
  const sent = open(`/api/ci/upload/${projectId}`, encoded.headers.get('content-type') ?? '', body.length)
  const { status, ms } = await sendInParts(sent, body, { parts: 8, pauseMs: 800 })
  expect(status).toBe(201)
  expect(ms).toBeGreaterThan(bodyTimes.requestMs)
})

test.concurrent.for([
  ['a snapshot', snapshots, packType],
  ['a report', () => `/api/ci/upload/${projectId}`, 'multipart/form-data; boundary=x'],
] as const)('%s that comes a few bytes at a time is refused with the limits', async ([, path, type], { expect }) => {
  const trickle = { parts: 800, pauseMs: 50 }
  const { status, body } = await sendInParts(open(path(), type, 1_000), Buffer.from('PACK'.repeat(200)), trickle)
  expect([status, JSON.parse(body)]).toEqual([
    408,
    {
      error: 'Request Timeout',
      code: 'REQUEST_TIMEOUT',
      message: expect.stringMatching(
        /^The upload is too slow: 0 KiB arrived in \d+ s\. An upload may take 5 s, and 1 s more for every 64 KiB, up to 300 s\. Use a faster connection, or send less\.$/,
      ),
    },
  ])
})

test.concurrent('an upload that comes fast but never ends is refused after the longest time', async ({ expect }) => {
  await using other = await createTestApp({ role: 'web', bodyTimes: { ...bodyTimes, uploadMs: bodyTimes.requestMs } })
  const user = await createUser(other)
  const { id } = await createProjectFor(other, { user, repository: repository.path })
  const sent = request(`${other.url}/api/v1/projects/${id}/snapshots?tree=${packed.tree}`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${await createTokenFor(other, { user })}`, 'content-type': packType },
  })
  const { status, body } = await sendInParts(sent, packed.pack, { parts: 200, pauseMs: 100 })
  expect([status, body]).toEqual([408, expect.stringContaining('up to 5 s.')])
})

test.concurrent('other bodies have no more time, whatever arrives', async ({ expect }) => {
  const body = Buffer.from(JSON.stringify({ name: 'x'.repeat(900_000) }))
  const sent = open('/trpc/tokens.create', 'application/json', body.length)
  const answer = await sendInParts(sent, body, { parts: 40, pauseMs: 250 })
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    408,
    {
      error: 'Request Timeout',
      code: 'REQUEST_TIMEOUT',
      message: 'The request body did not arrive within 5 s.',
    },
  ])
})

test('leaves nothing of all this, and logs nothing of it as a failure of the server', async () => {
  expect(await listIfThere(incomingDirectory(app.config))).toEqual([])
  expect(await listIfThere(join(app.config.dataDir, 'uploads'))).toEqual([])
  const failures = app.logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 40)
  expect(failures).toEqual([])
})
