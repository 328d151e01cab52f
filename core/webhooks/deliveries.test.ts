import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createOrganizationFor, createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { failure, times } from '../testing/organization-scene.ts'
import { deliveriesChannel } from '../events/emit.ts'
import { WebhookAttemptEntity, WebhookDeliveryEntity, type WebhookRow } from './entity.ts'
import { DeliveryStatus } from './schema.ts'
import { createDeliveryFor, createWebhookFor } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp(fields: Partial<WebhookRow> = {}) {
  const user = await createUser(app)
  const organization = await createOrganizationFor(app, { user, name: 'Shop & "Söhne"' })
  const project = await createProjectFor(app, { user, organizationId: organization.id })
  const scope = { organizationId: organization.id, projectId: project.id }
  const { id: webhookId } = await createWebhookFor(app, { userId: user.id, ...scope, ...fields })
  const client = app.client(await createTokenFor(app, { user }))
  return { client, user, project, organization, webhookId }
}

const stored = (id: string) => app.dataSource.getRepository(WebhookDeliveryEntity).findOneByOrFail({ id })

/** Ends a delivery like the dispatcher does. */
async function end(id: string, status: 'succeeded' | 'failed', responseStatus: number) {
  const now = new Date()
  await app.dataSource.getRepository(WebhookAttemptEntity).insert({
    deliveryId: id,
    number: 1,
    trigger: 'scheduled',
    startedAt: now,
    durationMs: 12,
    responseStatus,
    error: null,
    address: '192.0.2.1',
    responseHead: '<b>thanks</b>',
  })
  const deliveredAt = status === 'succeeded' ? now : null
  const delivered = { deliveredAt, attemptCount: 1, nextAttemptAt: null, responseBody: '<b>thanks</b>' }
  await app.dataSource.getRepository(WebhookDeliveryEntity).update({ id }, { status, responseStatus, ...delivered })
}

test('lists deliveries newest first, by page, status and event', async () => {
  const { client, webhookId, user } = await setUp()
  const ids: string[] = []
  for (const [index, status] of DeliveryStatus.options.entries()) {
    const event = index % 2 === 0 ? 'project.updated' : 'analysis.completed'
    ids.unshift((await createDeliveryFor(app, { webhookId, status, event })).id)
  }
  await createDeliveryFor(app, { webhookId: (await createWebhookFor(app, { userId: user.id })).id })
  const page = async (input: object) => {
    const { deliveries, pagination } = await client.webhooks.deliveries.query({ webhookId, ...input })
    return { ids: deliveries.map(({ id }) => id), ...pagination }
  }
  expect(await page({})).toEqual({ ids, total: 5, limit: 20, offset: 0 })
  expect(await page({ limit: 2, offset: 1 })).toEqual({ ids: ids.slice(1, 3), total: 5, limit: 2, offset: 1 })
  expect(await page({ offset: 5 })).toMatchObject({ ids: [], total: 5 })
  expect(await page({ status: 'cancelled' })).toMatchObject({ ids: [ids[0]], total: 1 })
  expect(await page({ event: 'analysis.completed' })).toMatchObject({ ids: [ids[1], ids[3]], total: 2 })
  expect(await page({ event: 'analysis.completed', status: 'failed' })).toMatchObject({ ids: [ids[1]], total: 1 })
  for (const wrong of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { status: 'lost' }, { event: 'x' }]) {
    await expect(page(wrong)).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  }
})

test('shows the payload and every attempt of a delivery', async () => {
  const { client, webhookId } = await setUp()
  const row = await createDeliveryFor(app, { webhookId })
  const { delivery: waiting } = await client.webhooks.getDelivery.query({ deliveryId: row.id })
  expect(waiting).toEqual({
    id: row.id,
    webhookId,
    event: 'project.updated',
    status: 'pending',
    trigger: 'scheduled',
    responseStatus: null,
    error: null,
    attemptCount: 0,
    nextRetryAt: row.nextAttemptAt?.toISOString(),
    deliveredAt: null,
    createdAt: row.createdAt.toISOString(),
    payload: JSON.parse(row.body),
    responseBody: null,
    attempts: [],
  })
  await end(row.id, 'succeeded', 204)
  const { delivery } = await client.webhooks.getDelivery.query({ deliveryId: row.id })
  expect(delivery).toMatchObject({
    status: 'succeeded',
    responseStatus: 204,
    nextRetryAt: null,
    deliveredAt: expect.any(String),
    responseBody: '<b>thanks</b>',
    attempts: [{ number: 1, trigger: 'scheduled', durationMs: 12, responseStatus: 204, address: '192.0.2.1' }],
  })
})

test('while the circuit breaker is open, a scheduled delivery shows when it closes as the next retry, or a later time', async () => {
  const [now, soon, later] = [0, 1, 2].map((minutes) => new Date(Date.now() + minutes * 60_000))
  const { client, webhookId } = await setUp({ openUntil: soon ?? null })
  const due = async (fields: { nextAttemptAt: Date | undefined; trigger?: 'manual' }) => {
    const nextAttemptAt = fields.nextAttemptAt ?? null
    const { id: deliveryId } = await createDeliveryFor(app, { webhookId, ...fields, nextAttemptAt })
    const { deliveries } = await client.webhooks.deliveries.query({ webhookId, limit: 1 })
    const { delivery } = await client.webhooks.getDelivery.query({ deliveryId })
    expect(deliveries[0]?.nextRetryAt).toBe(delivery.nextRetryAt)
    return delivery.nextRetryAt
  }
  expect(await due({ nextAttemptAt: now })).toBe(soon?.toISOString())
  expect(await due({ nextAttemptAt: later })).toBe(later?.toISOString())
  expect(await due({ nextAttemptAt: now, trigger: 'manual' })).toBe(now?.toISOString())
})

test('shows at most the newest hundred attempts', async () => {
  const { client, webhookId } = await setUp()
  const { id: deliveryId } = await createDeliveryFor(app, { webhookId, attemptCount: 103 })
  const attempt = {
    deliveryId,
    trigger: 'manual' as const,
    startedAt: new Date(),
    durationMs: 1,
    responseStatus: 503,
    error: null,
    address: null,
  }
  const attempts = times(103).map((_, index) => ({ ...attempt, number: index + 1, responseHead: null }))
  await app.dataSource.getRepository(WebhookAttemptEntity).insert(attempts)
  const { delivery } = await client.webhooks.getDelivery.query({ deliveryId })
  expect(delivery).toMatchObject({ attemptCount: 103 })
  expect(delivery.attempts.map(({ number }) => number)).toEqual(times(100).map((_, index) => index + 4))
})

test.each(DeliveryStatus.options.filter((status) => status !== 'in_flight'))(
  'retries a %s delivery at once, unchanged and outside of the schedule',
  async (status) => {
    const { client, webhookId } = await setUp()
    const before = await createDeliveryFor(app, { webhookId, status, attemptCount: 3, scheduledAttempts: 3 })
    const { delivery } = await client.webhooks.retryDelivery.mutate({ deliveryId: before.id })
    expect(delivery).toMatchObject({ id: before.id, status: 'pending', trigger: 'manual', attemptCount: 3 })
    const after = await stored(before.id)
    expect(after).toMatchObject({ status: 'pending', trigger: 'manual', scheduledAttempts: 3, body: before.body })
    expect(after.nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now())
  },
)

test('cannot retry a delivery that is being sent, or of a paused, inactive or deleted webhook', async () => {
  const { client, webhookId, project } = await setUp()
  const { id: deliveryId } = await createDeliveryFor(app, { webhookId, status: 'in_flight', nextAttemptAt: null })
  const conflict = async (message: string) => {
    const call = client.webhooks.retryDelivery.mutate({ deliveryId })
    await expect(call).rejects.toMatchObject({ data: { code: 'CONFLICT' }, message: expect.stringContaining(message) })
  }
  await conflict('is being sent')
  await client.webhooks.pause.mutate({ webhookId })
  await conflict('webhooks.resume')
  await client.webhooks.update.mutate({ webhookId, active: false })
  await conflict('webhooks.update')
  expect(await stored(deliveryId)).toMatchObject({ status: 'in_flight', trigger: 'scheduled' })
  await client.projects.deleteProject.mutate({ projectId: project.id })
  const gone = client.webhooks.retryDelivery.mutate({ deliveryId })
  await expect(gone).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
})

test('a test can be retried only after it has ended, and is attempted once', async () => {
  const { client, webhookId } = await setUp()
  const { id: deliveryId } = await createDeliveryFor(app, { webhookId, trigger: 'test', event: 'webhook.test' })
  const early = client.webhooks.retryDelivery.mutate({ deliveryId })
  await expect(early).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
  expect(await stored(deliveryId)).toMatchObject({ status: 'pending', trigger: 'test', resumeAt: null })
  await end(deliveryId, 'failed', 503)
  await client.webhooks.retryDelivery.mutate({ deliveryId })
  expect(await stored(deliveryId)).toMatchObject({ status: 'pending', trigger: 'manual', resumeAt: null })
})

test('notifies the dispatchers of deliveries that can be sent, with the owners of the webhook', async () => {
  const { client, webhookId, organization, user } = await setUp()
  const { id: deliveryId } = await createDeliveryFor(app, { webhookId })
  const listener = new pg.Client({ connectionString: app.config.databaseUrl })
  await listener.connect()
  try {
    const heard: (string | undefined)[] = []
    listener.on('notification', ({ payload }) => heard.push(payload))
    await listener.query(`LISTEN ${deliveriesChannel}`)
    await client.webhooks.retryDelivery.mutate({ deliveryId })
    await client.webhooks.resume.mutate({ webhookId })
    await client.webhooks.update.mutate({ webhookId, active: true })
    await client.webhooks.test.mutate({ webhookId, waitSeconds: 0 })
    await expect.poll(() => heard).toEqual(times(4).map(() => `${webhookId}:${organization.id}:${user.id}`))
  } finally {
    await listener.end()
  }
})

test('a test is sent at once, whatever the subscribed events, and returns its outcome', async () => {
  const { client, webhookId, project, organization } = await setUp({
    events: ['project.created'],
    pausedAt: new Date(),
  })
  const testing = client.webhooks.test.mutate({ webhookId, waitSeconds: 20 })
  const find = () => app.dataSource.getRepository(WebhookDeliveryEntity).findOneBy({ webhookId })
  await expect.poll(find).not.toBeNull()
  const row = await find()
  expect(row).toMatchObject({ event: 'webhook.test', trigger: 'test', status: 'pending', eventId: null })
  const startedAt = performance.now()
  await end(row?.id ?? '', 'failed', 404)
  const { delivery } = await testing
  expect(performance.now() - startedAt).toBeLessThan(15_000)
  expect(delivery).toMatchObject({
    status: 'failed',
    responseStatus: 404,
    attempts: [{ responseHead: '<b>thanks</b>' }],
  })
  expect(delivery.payload).toEqual({
    id: row?.id,
    event: 'webhook.test',
    timestamp: row?.createdAt.toISOString(),
    data: { message: expect.any(String) },
    project: { id: project.id, name: project.name, repository: project.repository },
    organization: { id: organization.id, name: organization.name },
  })
})

test('a test of an organization webhook names no project', async () => {
  const { client, user, organization } = await setUp()
  const wide = await createWebhookFor(app, { userId: user.id, organizationId: organization.id })
  const { delivery } = await client.webhooks.test.mutate({ webhookId: wide.id, waitSeconds: 0 })
  expect(Object.keys(delivery.payload)).toEqual(['id', 'event', 'timestamp', 'data', 'organization'])
})

test('a test continues after the caller stopped waiting, and only a few run at a time', async () => {
  const { client, webhookId } = await setUp()
  const startedAt = performance.now()
  const { delivery } = await client.webhooks.test.mutate({ webhookId, waitSeconds: 1 })
  expect(performance.now() - startedAt).toBeGreaterThan(990)
  expect(delivery).toMatchObject({ status: 'pending', trigger: 'test', attempts: [] })
  const more = await Promise.allSettled(times(5).map(() => client.webhooks.test.mutate({ webhookId, waitSeconds: 0 })))
  expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  for (const outcome of more) if (outcome.status === 'rejected') expect(outcome).toMatchObject(failure('CONFLICT'))
  await end(delivery.id, 'succeeded', 200)
  await client.webhooks.test.mutate({ webhookId, waitSeconds: 0 })
})

test('a call that waits for a test returns when the program stops', async () => {
  const stopping = await createTestApp({ role: 'web' })
  const user = await createUser(stopping)
  const { id: projectId } = await createProjectFor(stopping, { user })
  const { id: webhookId } = await createWebhookFor(stopping, { userId: user.id, projectId })
  const client = stopping.client(await createTokenFor(stopping, { user }))
  const testing = client.webhooks.test.mutate({ webhookId, waitSeconds: 45 })
  await sleep(300)
  const disposed = stopping[Symbol.asyncDispose]()
  expect((await testing).delivery.status).toBe('pending')
  await disposed
})
