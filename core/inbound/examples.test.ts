import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, runSettings, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { deliver, exampleEvents, signatureOf } from './testing.ts'

const secret = 'a secret that the code host has'
let app: TestApp
beforeAll(async () => {
  // No worker runs, so that runs stay queued.
  const runs = { ...runSettings, runConcurrency: 0 }
  app = await createTestApp({ inbound: { secret, appSecret: undefined, legacySha1: false }, runs })
})
afterAll(() => app[Symbol.asyncDispose]())

test('processes every example of GitHub once, rejects changed ones and reports duplicates', async () => {
  const user = await createUser(app)
  const repository = 'https://127.0.0.1:1/codertocat/hello-world'
  const { id: projectId } = await createProjectFor(app, { user, repository })
  const client = app.client(await createTokenFor(app, { user }))
  const release = { runOn: { release: true } }
  await client.projects.updateProjectSettings.mutate({ projectId, settings: release })
  const examples = await exampleEvents()
  expect(examples).toHaveLength(329)

  const deliverExample = async ({ event, payload }: (typeof examples)[number], index: number) => {
    // Moved to a local code host, where a connection fails fast.
    const body = JSON.stringify(payload).replaceAll('https://github.com/', 'https://127.0.0.1:1/')
    const tampered = body.replace(/.$/, ',"more":1}')
    const common = { event, id: `example-${index}`, headers: { 'x-hub-signature-256': signatureOf(secret, body) } }
    const answers = [
      await deliver(app, '/webhooks/code_host', { ...common, payload: tampered }),
      await deliver(app, '/webhooks/code_host', { ...common, payload: body }),
      await deliver(app, '/webhooks/code_host', { ...common, payload: body }),
    ]
    return [event, ...answers.map(({ status, body }) => [status, body.duplicate])]
  }
  for (const [event, ...answers] of await Promise.all(examples.map(deliverExample))) {
    expect([event, ...answers]).toEqual([event, [401, undefined], [200, undefined], [200, true]])
  }

  const unsettled = () => app.dataSource.query("SELECT 1 FROM inbound_deliveries WHERE status = 'received'")
  await expect.poll(unsettled).toEqual([])
  const stored = await app.dataSource.query<{ delivery_id: string }[]>('SELECT delivery_id FROM inbound_deliveries')
  expect(new Set(stored.map(({ delivery_id }) => delivery_id)).size).toBe(examples.length)
  const statuses = await app.dataSource.query<{ event: string; count: number }[]>(
    `SELECT event, count(*)::int FROM inbound_deliveries WHERE status = 'processed' GROUP BY event ORDER BY event`,
  )
  expect(statuses).toEqual([
    { event: 'pull_request', count: 7 },
    { event: 'push', count: 2 },
    { event: 'release', count: 3 },
  ])
  // Both pushes have the same commit, which is analyzed once.
  expect(await client.projects.getProjectAnalyses.query({ projectId })).toHaveLength(1)
}, 90_000)
