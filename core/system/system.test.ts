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

const withoutSandbox: Config['runs'] = { ...runSettings, executor: 'local' }
const aiAt = (url: string, secret?: string): Config['ai'] => ({ url, secret, timeoutMs: 5_000 })

async function startAiService(settings: NodeJS.ProcessEnv = {}) {
  const { config } = readAiConfig({ AI_PORT: '0', LOG_LEVEL: 'silent', ...settings })
  if (!config) throw new Error('wrong settings')
  const service = createAiService(config)
  return { url: `http://127.0.0.1:${await service.listen()}`, [Symbol.asyncDispose]: () => service.close() }
}

/** Something else where the AI service should be. */
const answerWith = (listener: RequestListener) => listening(createServer(listener))

test('any valid token sees that everything works, and nothing private', { timeout: 90_000 }, async () => {
  await using ai = await startAiService({ AI_SERVICE_SECRET: 'shared-by-the-two-of-them' })
  await using app = await createTestApp({ local: false, ai: aiAt(ai.url, 'shared-by-the-two-of-them') })
  const { id: projectId } = await createProjectFor(app)
  await createRunFor(app, { projectId, status: 'RUNNING' })

  const token = await createTokenFor(app, { scopes: ['profile:read'] })
  const read = () => app.client(token).system.status.query()

  const fine = { ok: true, problem: null }
  // On a busy machine the first answers only say that a check takes long.
  await expect.poll(read, { timeout: 60_000 }).toMatchObject({
    local: false,
    database: fine,
    storage: { ...fine, kind: 'folder' },
    ai: { ...fine, reachable: true, provider: 'mock', advice: expect.stringContaining('PROVIDER_A_API_KEY') },
    queue: { waiting: 0, running: 1 },
  })
  const status = await read()
  expect(Math.abs(Date.parse(status.time) - Date.now())).toBeLessThan(60_000)
  const said = JSON.stringify(status)
  for (const secret of [app.config.dataDir, ai.url, app.config.databaseUrl, 'shared-by', projectId]) {
    expect(said).not.toContain(secret)
  }
})

test('counts everything that users wait for: runs, verifications, analyses and deliveries', async () => {
  // Nothing works on the queues of a web process.
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
  const { queue, queues } = await client.system.status.query()
  expect(queue).toEqual({ waiting: 1, running: 1 })
  expect(queues).toEqual({
    runs: { waiting: 1, running: 1 },
    verifications: { waiting: 2, running: 0 },
    analyses: { waiting: 1, running: 0 },
    deliveries: { waiting: 1, running: 0 },
  })
})

test('nobody without a credential sees it', async () => {
  await using app = await createTestApp({ runs: withoutSandbox })
  await expect(app.client().system.status.query()).rejects.toMatchObject({ data: { code: 'UNAUTHORIZED' } })
  expect((await app.fetch('/trpc/system.status', { token: 'svc_nonsense' })).status).toBe(401)
})

test('a storage that takes nothing is found, named to the owner of a local server alone', async () => {
  for (const local of [true, false]) {
    await using app = await createTestApp({ local, runs: withoutSandbox })
    const folder = join(app.config.dataDir, 'files')
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    const { storage } = await app.client(await createTokenFor(app)).system.status.query()
    expect(storage).toMatchObject({ ok: false, problem: 'No file can be stored (ENOTDIR).' })
    expect([local, storage.advice?.includes(folder)]).toEqual([local, local])
    expect(storage.advice).toContain(local ? folder : 'STORAGE_URL')
  }
})

test('says of a broken AI service what is the matter, and what to do', async () => {
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

test('asks the AI service once, however many ask', async () => {
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

test('tells what the sandbox keeps code from', async () => {
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

test('a server that cannot run tests says so', async () => {
  const runs: Config['runs'] = { ...runSettings, executor: 'docker', image: 'assay/no-such-image' }
  await using app = await createTestApp({ local: false, runs })
  const { executor } = await app.client(await createTokenFor(app)).system.status.query()
  expect(executor).toMatchObject({ ok: false, name: null, isolates: null })
  expect(executor.problem).not.toContain('no-such-image')
})

test('a server whose tests others run does not try a sandbox', async () => {
  await using app = await createTestApp({ role: 'web' })
  const { executor } = await app.client(await createTokenFor(app)).system.status.query()
  expect(executor).toMatchObject({ ok: true, name: null, isolates: null, description: 'other processes run the tests' })
})
