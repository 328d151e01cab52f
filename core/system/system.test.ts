import { createServer, type RequestListener } from 'node:http'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAiService } from '../../ai-service/app.ts'
import { readAiConfig } from '../../ai-service/config.ts'
import type { Config } from '../config.ts'
import { createTestApp, runSettings } from '../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'
import { listening } from '../testing/receiver.ts'
import { mcpSnippet } from '../../local/welcome.ts'
import { stdioServer } from './connect.ts'

const withoutSandbox: Config['runs'] = { ...runSettings, executor: 'local' }
const aiAt = (url: string, secret?: string): Config['ai'] => ({ url, secret, timeoutMs: 5_000 })

async function startAiService(settings: NodeJS.ProcessEnv = {}) {
  const { config } = readAiConfig({ AI_PORT: '0', LOG_LEVEL: 'silent', ...settings })
  if (!config) throw new Error('wrong settings')
  const service = createAiService(config)
  return { url: `http://127.0.0.1:${await service.listen()}`, [Symbol.asyncDispose]: () => service.close() }
}

/** Another server at the address of the AI service. */
const answerWith = (listener: RequestListener) => listening(createServer(listener))

test('any valid token sees the status, without private data', async () => {
  await using ai = await startAiService({ AI_SERVICE_SECRET: 'shared-by-the-two-of-them' })
  await using app = await createTestApp({ local: false, ai: aiAt(ai.url, 'shared-by-the-two-of-them') })
  const { id: projectId } = await createProjectFor(app)
  await createRunFor(app, { projectId, status: 'RUNNING' })

  const token = await createTokenFor(app, { scopes: ['profile:read'] })
  const read = () => app.client(token).system.status.query()

  const fine = { ok: true, problem: null }
  // On a busy machine, the first answers only say that a check is still running.
  await expect.poll(read, { timeout: 60_000 }).toMatchObject({
    local: false,
    database: fine,
    storage: { ...fine, kind: 'folder' },
    ai: { ...fine, reachable: true, provider: 'mock', advice: expect.stringContaining('PROVIDER_A_API_KEY') },
    queue: { waiting: 0, running: 1, oldestWaitSeconds: null, capacity: 1 },
    connect: { mcpUrl: null, stdio: null },
    sendsMail: false,
  })
  const status = await read()
  expect(Math.abs(Date.parse(status.time) - Date.now())).toBeLessThan(60_000)
  const said = JSON.stringify(status)
  for (const secret of [app.config.dataDir, ai.url, app.config.databaseUrl, 'shared-by', projectId]) {
    expect(said).not.toContain(secret)
  }
})

test('counts everything that users wait for: runs, verifications, changes, measurements, analyses and deliveries', async () => {
  // A web process does not work on queues.
  await using app = await createTestApp({ role: 'web' })
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const created = { url: 'http://127.0.0.1:1/', events: ['project.updated' as const], projectId }
  await client.webhooks.create.mutate(created)
  const { webhook: paused } = await client.webhooks.create.mutate(created)
  await client.webhooks.pause.mutate({ webhookId: paused.id })

  await client.projects.updateProject.mutate({ projectId, name: 'Another name' })
  await createRunFor(app, { projectId, status: 'RUNNING' })
  await client.testRuns.trigger.mutate({ projectId })
  await client.analysis.startAnalysis.mutate({ projectId })
  for (const filePath of ['a.test.js', 'b.test.js']) {
    await client.tests.verify.mutate({ projectId, filePath, code: 'x', target: { path: 'a.js' } })
  }
  await client.changes.verify.mutate({ projectId })
  await client.strength.measure.mutate({ projectId })
  const { queue, queues } = await client.system.status.query()
  // How many the workers take at a time is their setting.
  const counts = (waiting: number, running = 0) => {
    return { waiting, running, oldestWaitSeconds: expect.any(Number), capacity: null }
  }
  expect(queue).toEqual(counts(1, 1))
  expect(queues).toEqual({
    runs: counts(1, 1),
    verifications: counts(2),
    changes: counts(1),
    measurements: counts(1),
    analyses: counts(1),
    deliveries: counts(1),
  })
})

test('says how long the oldest of each queue waits, and how many are worked on at a time', async () => {
  const runs = { ...withoutSandbox, runConcurrency: 3 }
  await using app = await createTestApp({ runs, verificationConcurrency: 2, analysisConcurrency: 4 })
  const { id: projectId } = await createProjectFor(app)
  for (const minutes of [1, 10]) {
    await createRunFor(app, { projectId, createdAt: new Date(Date.now() - minutes * 60_000) })
  }
  const { queues } = await app.client(await createTokenFor(app)).system.status.query()
  expect(queues).toMatchObject({
    runs: { waiting: 2, capacity: 3 },
    verifications: { waiting: 0, oldestWaitSeconds: null, capacity: 2 },
    changes: { capacity: 2 },
    measurements: { capacity: 2 },
    analyses: { capacity: 4, oldestWaitSeconds: null },
    deliveries: { capacity: null, oldestWaitSeconds: null },
  })
  expect(queues?.runs.oldestWaitSeconds).toBeGreaterThanOrEqual(600)
  expect(queues?.runs.oldestWaitSeconds).toBeLessThan(660)
})

test('says in local mode how agents connect, in the words of npm start', async () => {
  await using app = await createTestApp({ runs: withoutSandbox, mcpPort: 4123 })
  const { connect } = await app.client(await createTokenFor(app)).system.status.query()
  const env = { SVC_BASE_URL: app.url.replace('127.0.0.1', 'localhost'), DATA_DIR: app.config.dataDir }
  expect(connect).toEqual({
    mcpUrl: 'http://127.0.0.1:4123/mcp',
    stdio: { command: process.execPath, args: [expect.stringMatching(/mcp-server\/start\.mjs$/)], env },
  })
  expect(connect?.stdio).toEqual(mcpSnippet(stdioServer(app.config, env.SVC_BASE_URL)).mcpServers.assay)
})

test('requires a credential', async () => {
  await using app = await createTestApp({ runs: withoutSandbox })
  await expect(app.client().system.status.query()).rejects.toMatchObject({ data: { code: 'UNAUTHORIZED' } })
  expect((await app.fetch('/trpc/system.status', { token: 'svc_nonsense' })).status).toBe(401)
})

test('detects a storage that refuses writes, and names its folder only in local mode', async () => {
  for (const local of [true, false]) {
    await using app = await createTestApp({ local, runs: withoutSandbox })
    const folder = join(app.config.dataDir, 'files')
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    const { storage } = await app.client(await createTokenFor(app)).system.status.query()
    expect(storage).toMatchObject({ ok: false, problem: 'The file storage refuses to store files (ENOTDIR).' })
    expect([local, storage.advice?.includes(folder)]).toEqual([local, local])
    expect(storage.advice).toContain(local ? folder : 'STORAGE_URL')
  }
})

test('describes the problem of the AI service and what to do', async () => {
  await using strict = await startAiService({ AI_SERVICE_SECRET: 'shared-by-the-two-of-them' })
  await using stranger = await answerWith((_, res) => res.end('<html>It works!</html>'))
  await using silent = await answerWith(() => {})
  const cases: [Config['ai'], object][] = [
    [aiAt('http://127.0.0.1:1'), { reachable: false, problem: expect.stringContaining('does not answer') }],
    [
      aiAt(strict.url, 'something-else-for-once'),
      { reachable: true, advice: expect.stringContaining('AI_SERVICE_SECRET') },
    ],
    [aiAt(`http://127.0.0.1:${stranger.port}`), { reachable: true, advice: expect.stringContaining('AI_SERVICE_URL') }],
    [
      aiAt(`http://127.0.0.1:${silent.port}`),
      { reachable: false, problem: expect.stringContaining('does not answer') },
    ],
  ]
  for (const [ai, expected] of cases) {
    await using app = await createTestApp({ ai, runs: withoutSandbox })
    const status = await app.client(await createTokenFor(app)).system.status.query()
    expect(status.ai).toMatchObject({ ok: false, provider: null, ...expected })
    expect(status.database.ok).toBe(true)
  }
})

test('parallel calls check the AI service once', async () => {
  let calls = 0
  await using counting = await answerWith((_, res) => {
    calls += 1
    res.end(JSON.stringify({ provider: 'mock' }))
  })
  await using app = await createTestApp({ ai: aiAt(`http://127.0.0.1:${counting.port}`), runs: withoutSandbox })
  const client = app.client(await createTokenFor(app))
  await Promise.all(Array.from({ length: 10 }, () => client.system.status.query()))
  expect(calls).toBe(1)
})

test('reports what the sandbox isolates', async () => {
  await using app = await createTestApp({ runs: withoutSandbox })
  const token = await createTokenFor(app)
  const read = async () => (await app.client(token).system.status.query()).executor
  expect(await read()).toMatchObject({
    ok: true,
    name: 'local',
    isolates: { network: false, filesystem: false, limits: true },
    advice: expect.stringContaining('code that you trust'),
  })
})

test('names what this machine lacks for a sandbox', async () => {
  await using app = await createTestApp({ runs: { ...runSettings, executor: 'bwrap', quota: 'off' } })
  const token = await createTokenFor(app)
  const read = async () => (await app.client(token).system.status.query()).executor
  await expect.poll(read).toMatchObject({
    ok: true,
    name: 'bwrap',
    advice: expect.stringContaining('because SANDBOX_QUOTA is off. Assay measures it.'),
  })
})

test('reports a server that cannot run tests', async () => {
  const runs: Config['runs'] = { ...runSettings, executor: 'docker', image: 'assay/no-such-image' }
  await using app = await createTestApp({ local: false, runs })
  const { executor } = await app.client(await createTokenFor(app)).system.status.query()
  expect(executor).toMatchObject({ ok: false, name: null, isolates: null })
  expect(executor.problem).not.toContain('no-such-image')
})

test('a web process does not test a sandbox', async () => {
  await using app = await createTestApp({ role: 'web' })
  const { executor } = await app.client(await createTokenFor(app)).system.status.query()
  expect(executor).toMatchObject({ ok: true, name: null, isolates: null, description: 'other processes run the tests' })
})
