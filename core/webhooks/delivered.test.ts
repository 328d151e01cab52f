import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { dumpDatabase } from '../testing/dump.ts'
import { type Answers, type Received, type Receiver, startReceiver } from './dispatch/testing/receiver.ts'

let app: TestApp
beforeAll(async () => {
  const webhooks = { retryMs: [0, 2_000, 60_000], timeoutMs: 5_000, connectTimeoutMs: 2_000 }
  app = await createTestApp({ webhooks })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Creates a project with a webhook through the API. */
async function setUp(receiver: Receiver) {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, name: 'Shop' })
  const client = app.client(await createTokenFor(app, { user }))
  const path = `/${projectId}`
  const url = receiver.url + path
  const created = await client.webhooks.create.mutate({
    url,
    events: ['project.updated', 'project.deleted'],
    projectId,
  })
  const { id: webhookId, secret } = created.webhook
  const rename = (name: string) => client.projects.updateProject.mutate({ projectId, name })
  const received = () => receiver.at(path)
  const only = async () => (await client.webhooks.deliveries.query({ webhookId })).deliveries[0]
  return { client, projectId, webhookId, url, secret, rename, received, only }
}

const soon = { timeout: 10_000 }
const libraries = [StandardWebhook, SvixWebhook]

function accepts(secret: string, { body, headers }: Received, change: Record<string, string> = {}): boolean[] {
  const plain = Object.fromEntries(
    Object.entries({ ...headers, ...change }).map(([name, value]) => [name, String(value)]),
  )
  return libraries.map((Library) => {
    try {
      new Library(secret).verify(change['body'] ?? body, plain)
      return true
    } catch {
      return false
    }
  })
}

const both = [true, true]
const neither = [false, false]

test('a change arrives at the receiver, with signatures that third-party libraries accept', async () => {
  await using receiver = await startReceiver()
  const { client, projectId, webhookId, secret, rename, received } = await setUp(receiver)
  await rename('Till')
  await expect.poll(received, soon).toHaveLength(1)
  const [delivery] = received()
  if (!delivery) throw new Error('it arrived')
  expect(JSON.parse(delivery.body)).toMatchObject({
    id: delivery.id,
    event: 'project.updated',
    data: { id: projectId, name: 'Till' },
  })
  expect(delivery.headers).toMatchObject({
    'user-agent': 'Svc-Webhook/1.0',
    'content-type': 'application/json',
    'x-svc-event': 'project.updated',
    'webhook-id': delivery.id,
  })
  expect(accepts(secret, delivery)).toEqual(both)
  expect(accepts(secret, delivery, { body: delivery.body.replace('Till', 'Tall') })).toEqual(neither)
  expect(accepts(secret, delivery, { 'webhook-id': projectId })).toEqual(neither)
  await expect
    .poll(async () => (await client.webhooks.list.query({ projectId })).webhooks, soon)
    .toMatchObject([{ id: webhookId, deliveryCount: 1, lastDeliveryAt: expect.any(String) }])
  const shown = await client.webhooks.getDelivery.query({ deliveryId: delivery.id })
  expect(shown.delivery).toMatchObject({
    status: 'succeeded',
    attempts: [{ number: 1, responseStatus: 200, address: '127.0.0.1' }],
  })
  expect([await dumpDatabase(app), ...app.logLines].join('\n')).not.toContain(secret.slice('whsec_'.length))
})

test('during a rotation, receivers with either secret accept deliveries', async () => {
  await using receiver = await startReceiver()
  const { client, webhookId, secret, received, rename } = await setUp(receiver)
  const next = await client.webhooks.rotateSecret.mutate({ webhookId, overlapHours: 1 })
  await rename('Till')
  await expect.poll(received, soon).toHaveLength(1)
  const last = await client.webhooks.rotateSecret.mutate({ webhookId, overlapHours: 0 })
  await rename('Cart')
  await expect.poll(received, soon).toHaveLength(2)
  const verdicts = received().map((one) => [secret, next.secret, last.secret].map((each) => accepts(each, one)))
  expect(verdicts).toEqual([
    [both, both, neither],
    [neither, neither, both],
  ])
  expect(received().map(({ headers }) => 'x-svc-signature-previous' in headers)).toEqual([true, false])
})

test('a test delivery shows the response, or why there is none', async () => {
  await using receiver = await startReceiver((_, res, earlier) => {
    if (earlier > 0) return 404
    res.writeHead(200).end('welcome')
    return undefined
  })
  const { client, webhookId, received } = await setUp(receiver)
  await client.webhooks.pause.mutate({ webhookId })
  const first = await client.webhooks.test.mutate({ webhookId })
  expect(first.delivery).toMatchObject({ status: 'succeeded', responseStatus: 200, responseBody: 'welcome' })
  const second = await client.webhooks.test.mutate({ webhookId })
  expect(second.delivery).toMatchObject({ status: 'failed', responseStatus: 404, error: 'The receiver answered 404.' })
  await client.webhooks.update.mutate({ webhookId, url: 'http://127.0.0.1:1/' })
  const third = await client.webhooks.test.mutate({ webhookId })
  expect(third.delivery).toMatchObject({ status: 'failed', responseStatus: null, attemptCount: 1 })
  expect(third.delivery.error).toContain('refuses connections')
  expect(received().map(({ body }) => JSON.parse(body))).toEqual([first.delivery.payload, second.delivery.payload])
})

/** Responds with 503 this many times, and then with 200. */
const failing =
  (times: number): Answers =>
  (_, __, earlier) =>
    earlier < times ? 503 : 200

test('a manual retry between scheduled attempts sends the same delivery, and the schedule continues', async () => {
  await using receiver = await startReceiver(failing(2))
  const { client, rename, received, only } = await setUp(receiver)
  await rename('Till')
  await expect.poll(only, soon).toMatchObject({ status: 'pending', attemptCount: 1, nextRetryAt: expect.any(String) })
  const deliveryId = (await only())?.id ?? ''
  await client.webhooks.retryDelivery.mutate({ deliveryId })
  await expect.poll(only, soon).toMatchObject({ status: 'pending', attemptCount: 2, trigger: 'scheduled' })
  await expect.poll(only, soon).toMatchObject({ status: 'succeeded', attemptCount: 3 })
  const { delivery } = await client.webhooks.getDelivery.query({ deliveryId })
  expect(delivery.attempts.map(({ trigger }) => trigger)).toEqual(['scheduled', 'manual', 'scheduled'])
  expect(new Set(received().map(({ body }) => body)).size).toBe(1)
  expect(received().map(({ headers }) => headers['x-svc-delivery-attempt'])).toEqual([undefined, '2', '3'])

  await client.webhooks.retryDelivery.mutate({ deliveryId })
  await expect.poll(received, soon).toHaveLength(4)
})

test('a retry after a rotation is signed with the current secrets', async () => {
  await using receiver = await startReceiver(failing(1))
  const { client, webhookId, secret, rename, received, only } = await setUp(receiver)
  await rename('Till')
  await expect.poll(only, soon).toMatchObject({ status: 'pending', attemptCount: 1 })
  const next = await client.webhooks.rotateSecret.mutate({ webhookId, overlapHours: 0 })
  await expect.poll(received, soon).toHaveLength(2)
  const verdicts = received().map((one) => [accepts(secret, one), accepts(next.secret, one)])
  expect(verdicts).toEqual([
    [both, neither],
    [neither, both],
  ])
})

test('deliveries wait during a pause or inactivity, and are cancelled when the webhook is deleted', async () => {
  await using receiver = await startReceiver(failing(1))
  const { client, webhookId, projectId, url, rename, received, only } = await setUp(receiver)
  await rename('first')
  await expect.poll(only, soon).toMatchObject({ attemptCount: 1, status: 'pending' })
  await client.webhooks.pause.mutate({ webhookId })
  await client.webhooks.update.mutate({ webhookId, active: false })
  await rename('unheard')
  await client.webhooks.update.mutate({ webhookId, active: true })
  await rename('second')
  const before = received().length
  await expect.poll(only, soon).toMatchObject({ status: 'pending', attemptCount: 0 })
  expect(received()).toHaveLength(before)
  await client.webhooks.resume.mutate({ webhookId })
  await expect.poll(received, soon).toHaveLength(3)
  const names = received().map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)
  expect(names.toSorted()).toEqual(['first', 'first', 'second'])

  await client.webhooks.pause.mutate({ webhookId })
  await rename('third')
  await client.webhooks.delete.mutate({ webhookId })
  const { webhook } = await client.webhooks.create.mutate({
    url,
    events: ['project.deleted'],
    projectId,
  })
  await client.projects.deleteProject.mutate({ projectId })
  await expect.poll(received, soon).toHaveLength(4)
  expect(JSON.parse(received()[3]?.body ?? '')).toMatchObject({ event: 'project.deleted', data: { id: projectId } })
  const gone = client.webhooks.deliveries.query({ webhookId: webhook.id })
  await expect(gone).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
})
