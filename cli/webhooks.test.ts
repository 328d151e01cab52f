import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { httpReceiver, type Receiver } from '../core/testing/receiver.ts'
import type { CreatedWebhook, DeliveriesPage, DeliveryAnswer, WebhookAnswer } from '../core/webhooks/schema.ts'
import { assay } from './testing/assay.ts'

let core: TestApp
let env: Record<string, string>
let projectId: string
let receiver: Receiver
let status = 200
const opened = new AsyncDisposableStack()

beforeAll(async () => {
  core = opened.use(await createTestApp())
  const user = await createUser(core)
  env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: await createTokenFor(core, { user }) }
  projectId = (await createProjectFor(core, { user })).id
  receiver = opened.use(await httpReceiver((_, res) => void res.writeHead(status).end('\u001b[31mthank you')))
})
afterAll(() => opened.disposeAsync())

const webhooks = (...words: string[]) => assay(['webhooks', ...words], { env })

async function create(...words: string[]) {
  const made = await webhooks('create', receiver.url, '--events', 'test_run.failed,webhook.test', ...words, '--json')
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  return (JSON.parse(made.stdout) as CreatedWebhook).webhook
}

test('creates, shows, updates, pauses and resumes a webhook, and prints its secret once', async () => {
  const made = await webhooks('create', receiver.url, '--events', 'test_run.failed', '--project', projectId)
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  expect(made.stdout).toMatch(/Secret {2}whsec_\S+ {2}not shown again/)
  const list = await webhooks('--project', projectId)
  const [id = '', state, url] = list.stdout.split('\t')
  expect([state, url]).toEqual(['active', receiver.url])

  const shown = await webhooks('show', id)
  expect(shown.stdout).toContain('test_run.failed')
  expect(shown.stdout).not.toContain('whsec_')
  const changed = await webhooks('update', id, '--description', 'tells the chat', '--no-active', '--json')
  const { webhook } = JSON.parse(changed.stdout) as WebhookAnswer
  expect(webhook).toMatchObject({ description: 'tells the chat', active: false, events: ['test_run.failed'] })
  await webhooks('update', id, '--active')
  expect((await webhooks('pause', id)).stdout).toMatch(/^paused/)
  expect((await webhooks('resume', id)).stdout).toMatch(/^active/)
})

test('destructive commands do nothing without --yes where there is no terminal', async () => {
  const { id, secret } = await create('--project', projectId)
  const [deleting, rotating] = await Promise.all([webhooks('delete', id), webhooks('rotate-secret', id)])
  for (const refused of [deleting, rotating]) {
    expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes') })
  }
  const rotated = await webhooks('rotate-secret', id, '--overlap', '0', '--yes', '--json')
  expect(JSON.parse(rotated.stdout)).toMatchObject({
    secret: expect.not.stringMatching(secret),
    previousSecretUntil: null,
  })
  expect(await webhooks('delete', id, '--yes')).toMatchObject({ exitCode: 0, stdout: `Deleted ${id}.\n` })
  expect((await webhooks('show', id)).exitCode).toBe(4)
})

test('the exit code of a test event says whether it was delivered; deliveries are listed and retried', async () => {
  const { id } = await create('--project', projectId)
  expect(await webhooks('test', id)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^succeeded/) })
  status = 500
  const failed = await webhooks('test', id, '--json')
  status = 200
  expect(failed.exitCode).toBe(1)
  const { delivery } = JSON.parse(failed.stdout) as DeliveryAnswer
  const list = await webhooks('deliveries', id, '--json')
  const page = JSON.parse(list.stdout) as DeliveriesPage
  expect(page.deliveries.map((one) => one.status)).toEqual([delivery.status, 'succeeded'])

  const detail = await webhooks('delivery', delivery.id)
  expect(detail).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('thank you') })
  expect(detail.stdout).not.toContain('\u001b')
  expect(await webhooks('retry', delivery.id)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(delivery.id),
  })
  const again = async () => JSON.parse((await webhooks('delivery', delivery.id, '--json')).stdout) as DeliveryAnswer
  await expect.poll(async () => (await again()).delivery.status).toBe('succeeded')
  expect(await webhooks('recover', id, '--since', '1h')).toMatchObject({
    exitCode: 0,
    stdout: 'Retrying 0 deliveries.\n',
  })
})

test('reports wrong arguments without calling core', async () => {
  const [event, time, nothing, unknown] = await Promise.all([
    webhooks('create', receiver.url, '--events', 'run.failed', '--project', projectId),
    webhooks('recover', 'x', '--since', 'yesterday'),
    webhooks('update', 'x'),
    webhooks('pauze', 'x'),
  ])
  expect([event.exitCode, time.exitCode, nothing.exitCode, unknown.exitCode]).toEqual([2, 2, 2, 2])
  expect(event.stderr).toContain('test_run.failed')
  expect(time.stderr).toContain('2026-11-20T12:00:00Z')
  expect(nothing.stderr).toContain('--url')
  expect(unknown.stderr).toContain('Did you mean pause?')
})

test('answers the same for a webhook of another tenant as for one that does not exist', async () => {
  const stranger = await createUser(core)
  const theirs = await createProjectFor(core, { user: stranger })
  const client = core.client(await createTokenFor(core, { user: stranger }))
  const { webhook } = await client.webhooks.create.mutate({
    url: receiver.url,
    events: ['test_run.failed'],
    projectId: theirs.id,
  })
  for (const command of ['show', 'test', 'deliveries']) {
    const [foreign, unknown] = await Promise.all([
      webhooks(command, webhook.id),
      webhooks(command, '01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    ])
    expect(foreign).toEqual(unknown)
    expect(foreign).toMatchObject({ exitCode: 4, stdout: '' })
  }
})
