import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createUser } from '../../testing/factories.ts'
import { WebhookAttemptEntity, type WebhookDeliveryRow, WebhookEntity, type WebhookRow } from '../entity.ts'
import { createDeliveryFor, createWebhookFor } from '../testing.ts'
import { notifyDispatchers } from '../notify.ts'
import { startDispatcher } from './dispatcher.ts'
import { cancelWithdrawn, releaseExpired } from './release.ts'
import { attemptsOf, deliveryOf } from './testing/scene.ts'
import { startReceiver } from './testing/receiver.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web', webhooks: { retryMs: [0, 100], timeoutMs: 1_000, connectTimeoutMs: 500 } })
})
afterAll(() => app[Symbol.asyncDispose]())

const now = new Date()
const deliveredAt = new Date('2026-11-20T12:00:00Z')
const resumeAt = new Date(Date.now() + 3_600_000)
const success = { deliveredAt, responseStatus: 204, responseBody: 'thanks', error: null }
const withdrawn = { active: false, deletedAt: now }

async function createDelivery(fields: Partial<WebhookDeliveryRow>, webhook: Partial<WebhookRow> = {}) {
  const { id: userId } = await createUser(app)
  const { id: webhookId } = await createWebhookFor(app, { userId, ...webhook })
  const { id } = await createDeliveryFor(app, { webhookId, ...fields })
  return id
}

/** In flight in a process that has disappeared. */
const lost = { status: 'in_flight' as const, attemptCount: 2, scheduledAttempts: 1, nextAttemptAt: null }
const lease = { leaseToken: '00000000-0000-4000-8000-000000000000', leaseUntil: new Date(now.getTime() - 1_000) }

const manual = { trigger: 'manual' as const }
const cases: [string, Partial<WebhookDeliveryRow>, Partial<WebhookRow>, Partial<WebhookDeliveryRow>][] = [
  [
    'a delivered one stays succeeded',
    { ...manual, ...success },
    {},
    { status: 'succeeded', nextAttemptAt: null, ...success },
  ],
  [
    'a delivered one stays succeeded if the webhook is deleted',
    { ...manual, ...success },
    withdrawn,
    { status: 'succeeded', ...success },
  ],
  [
    'a schedule continues',
    { ...manual, resumeAt },
    {},
    { status: 'pending', nextAttemptAt: resumeAt, trigger: 'scheduled' },
  ],
  [
    'a schedule is cancelled if the webhook is deleted',
    { ...manual, resumeAt },
    withdrawn,
    { status: 'cancelled', nextAttemptAt: null },
  ],
  ['a failed one stays failed', manual, {}, { status: 'failed', nextAttemptAt: null, trigger: 'manual' }],
  ['a scheduled attempt is due at once', {}, {}, { status: 'pending', nextAttemptAt: now }],
  [
    'a scheduled attempt is cancelled if the webhook is deleted',
    {},
    withdrawn,
    { status: 'cancelled', nextAttemptAt: null },
  ],
  ['a test fails', { trigger: 'test' }, {}, { status: 'failed', nextAttemptAt: null }],
]
test.each(cases)('after a worker disappeared, %s', async (_, fields, webhook, expected) => {
  const id = await createDelivery({ ...lost, ...lease, ...fields }, webhook)
  await releaseExpired(app.dataSource.manager, now, { attempts: 6, leaseMs: 1_000 })
  expect(await deliveryOf(app, id)).toMatchObject({
    resumeAt: null,
    leaseToken: null,
    scheduledAttempts: 1,
    ...expected,
  })
  expect(await attemptsOf(app, id)).toMatchObject([{ number: 2, trigger: fields.trigger ?? 'scheduled' }])
})

test('cancels deliveries that were created while their webhook was deleted, but not those about the end of a project', async () => {
  const late = await createDelivery({}, withdrawn)
  const again = await createDelivery({ ...manual, ...success }, withdrawn)
  const news = await createDelivery({}, { deletedAt: now })
  const kept = await createDelivery({}, { active: false })
  await cancelWithdrawn(app.dataSource.manager)
  expect(await deliveryOf(app, late)).toMatchObject({ status: 'cancelled', nextAttemptAt: null })
  expect(await deliveryOf(app, again)).toMatchObject({ status: 'succeeded', trigger: 'scheduled', ...success })
  for (const id of [news, kept]) expect(await deliveryOf(app, id)).toMatchObject({ status: 'pending' })
})

test('the dispatcher cancels late deliveries and failed manual retries of a deleted webhook', async () => {
  await using receiver = await startReceiver((_request, res) => {
    setTimeout(() => res.writeHead(503).end(), 300)
    return undefined
  })
  const id = await createDelivery({ ...manual, nextAttemptAt: new Date(), resumeAt }, { url: receiver.url })
  const { webhookId } = await deliveryOf(app, id)
  const dispatcher = startDispatcher(app.services, app.dataSource, { drainMs: 50 })
  onTestFinished(() => dispatcher[Symbol.asyncDispose]())
  await expect.poll(() => receiver.received.length).toBe(1)
  await app.dataSource.getRepository(WebhookEntity).update({ id: webhookId }, withdrawn)
  await expect.poll(async () => (await attemptsOf(app, id)).length).toBe(1)
  expect(await deliveryOf(app, id)).toMatchObject({ status: 'cancelled', nextAttemptAt: null, resumeAt: null })
  const { id: late } = await createDeliveryFor(app, { webhookId })
  await expect.poll(async () => (await deliveryOf(app, late)).status).toBe('cancelled')
})

test('a delivered one keeps its response after a failed manual retry, which is listed as an attempt', async () => {
  await using receiver = await startReceiver(() => 500)
  const user = await createUser(app)
  const webhook = await createWebhookFor(app, { userId: user.id, organizationId: null, url: receiver.url })
  const { id } = await createDeliveryFor(app, {
    webhookId: webhook.id,
    ...manual,
    ...success,
    attemptCount: 1,
    nextAttemptAt: new Date(),
  })
  const attempt = { deliveryId: id, number: 1, trigger: 'test' as const, startedAt: now, durationMs: 1, error: null }
  const answered = { responseStatus: 204, address: null, responseHead: 'thanks' }
  await app.dataSource.getRepository(WebhookAttemptEntity).insert({ ...attempt, ...answered })
  const dispatcher = startDispatcher(app.services, app.dataSource, { drainMs: 50 })
  onTestFinished(() => dispatcher[Symbol.asyncDispose]())
  await notifyDispatchers(app.dataSource.manager, webhook.id)
  await expect.poll(async () => (await attemptsOf(app, id)).length).toBe(2)
  expect(await deliveryOf(app, id)).toMatchObject({ status: 'succeeded', trigger: 'test', attemptCount: 2, ...success })
  expect((await attemptsOf(app, id))[1]).toMatchObject({ trigger: 'manual', responseStatus: 500 })
})
