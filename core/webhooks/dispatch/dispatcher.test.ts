import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { WebhookDeliveryEntity, WebhookEntity, type WebhookRow } from '../entity.ts'
import { notifyDispatchers } from '../notify.ts'
import { breakerRules, healthy } from './breaker.ts'
import { type DispatcherOptions, startDispatcher } from './dispatcher.ts'
import { createDeliveryFor } from '../testing.ts'
import { addDeliveries, attemptsOf, createDeliveries, deliveryOf, statesOf, webhookOf } from './testing/scene.ts'
import { type Receiver, startReceiver } from './testing/receiver.ts'

let app: TestApp
let receiver: Receiver
/** The status for each path. Requests to other paths get no response. */
const statusOf = new Map<string, number>()

beforeAll(async () => {
  app = await createTestApp({
    role: 'web',
    webhooks: { retryMs: [0, 100, 200], timeoutMs: 1_000, connectTimeoutMs: 500 },
  })
  receiver = await startReceiver(({ path }) => statusOf.get(path))
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

function dispatcher({ timeoutMs = 1_000, ...options }: DispatcherOptions & { timeoutMs?: number } = {}) {
  const config = { ...app.config, webhooks: { ...app.config.webhooks, timeoutMs } }
  const started = startDispatcher({ ...app.services, config }, app.dataSource, { drainMs: 50, ...options })
  onTestFinished(() => started[Symbol.asyncDispose]())
  return started
}

let paths = 0
function path(status?: number): string {
  const name = `/${++paths}`
  if (status !== undefined) statusOf.set(name, status)
  return name
}

const to = (name: string) => `${receiver.url}${name}`

async function change(id: string, fields: Partial<WebhookRow>): Promise<void> {
  await app.dataSource.getRepository(WebhookEntity).update({ id }, fields)
  await notifyDispatchers(app.dataSource.manager, id)
}

test('two dispatchers on one database deliver each once, and together keep the limit of an endpoint', async () => {
  let maxBusy = 0
  let now = 0
  await using slow = await startReceiver((_request, res) => {
    maxBusy = Math.max(maxBusy, ++now)
    setTimeout(() => {
      now--
      res.writeHead(200).end()
    }, 5)
    return undefined
  })
  dispatcher({ perEndpoint: 4 })
  dispatcher({ perEndpoint: 4 })
  const { webhook, ids } = await createDeliveries(app, { url: slow.url, count: 200 })
  await expect.poll(() => statesOf(app, webhook.id)).toEqual({ succeeded: 200 })
  const received = slow.received.map(({ id }) => id)
  expect([...new Set(received)].toSorted()).toEqual(ids.toSorted())
  expect(received.length - ids.length).toBeLessThanOrEqual(16)
  expect(maxBusy).toBeLessThanOrEqual(4)
})

test('sends nothing for a while after failures in a row, which uses no attempt, and then one at a time', async () => {
  const failing = path(503)
  const pauseMs = 1_000
  dispatcher({ perEndpoint: 4, breaker: { ...breakerRules, failures: 3, pauseMs, maxPauseMs: 2 * pauseMs } })
  const { webhook, ids } = await createDeliveries(app, { url: to(failing), count: 12 })
  const openedAfter = async (time: number) => {
    const openUntil = async () => (await webhookOf(app, webhook.id)).openUntil?.getTime() ?? 0
    await expect.poll(openUntil, { interval: 20 }).toBeGreaterThan(time)
    return openUntil()
  }
  const firstEnd = await openedAfter(0)
  const secondEnd = await openedAfter(firstEnd)
  statusOf.set(failing, 200)
  await expect.poll(() => statesOf(app, webhook.id)).toEqual({ succeeded: 12 })

  const times = receiver.at(failing).map(({ at }) => at)
  const between = (start: number, end: number) => times.filter((at) => at >= start && at < end)
  expect(between(0, firstEnd).length).toBeLessThan(12)
  // Requests that were in flight when the breaker opened can arrive in the first half of the pause.
  expect(between(firstEnd - pauseMs / 2, firstEnd)).toEqual([])
  const [probe = 0, ...others] = between(firstEnd, secondEnd)
  expect(others).toEqual([])
  // The probe failed too, and the pause doubled.
  expect(secondEnd - probe).toBeGreaterThanOrEqual(2 * pauseMs)
  const attempts = (await Promise.all(ids.map((id) => deliveryOf(app, id)))).map(({ attemptCount }) => attemptCount)
  expect(attempts.reduce((sum, count) => sum + count)).toBe(times.length)
  expect(await webhookOf(app, webhook.id)).toMatchObject({ failuresInRow: 0, openUntil: null, failingSince: null })
})

test('deactivates a webhook that failed for five days and keeps its pending deliveries', async () => {
  const failing = path(503)
  dispatcher()
  const failingSince = new Date(Date.now() - breakerRules.disableAfterMs)
  const { webhook, id } = await createDeliveries(app, { url: to(failing), failingSince, failuresInRow: 9 })
  await expect.poll(async () => (await webhookOf(app, webhook.id)).active).toBe(false)
  await sleep(300)
  expect(await deliveryOf(app, id)).toMatchObject({ status: 'pending', attemptCount: 1 })
  statusOf.set(failing, 200)
  await change(webhook.id, { active: true, ...healthy })
  await expect.poll(async () => (await deliveryOf(app, id)).status).toBe('succeeded')
})

test('a delivery waits while its webhook is paused, and continues its schedule when it is resumed', async () => {
  const answers: ((status: number) => void)[] = []
  await using slow = await startReceiver((_request, res) => {
    answers.push((status) => void res.writeHead(status).end())
    return undefined
  })
  dispatcher({ timeoutMs: 20_000 })
  const { webhook, id } = await createDeliveries(app, { url: slow.url })
  await expect.poll(() => answers.length).toBe(1)
  await change(webhook.id, { pausedAt: new Date() })
  answers[0]?.(503)
  await expect.poll(async () => (await deliveryOf(app, id)).nextAttemptAt).not.toBeNull()
  await addDeliveries(app, webhook.id)
  await sleep(400)
  expect(answers).toHaveLength(1)
  await change(webhook.id, { pausedAt: null })
  await expect.poll(() => answers.length).toBe(3)
  for (const answer of answers.slice(1)) answer(200)
  await expect.poll(() => statesOf(app, webhook.id)).toEqual({ succeeded: 2 })
  expect(await deliveryOf(app, id)).toMatchObject({ attemptCount: 2 })
})

test('retries nothing if the webhook was deleted during an attempt', async () => {
  const hanging = path()
  dispatcher()
  const { webhook, id } = await createDeliveries(app, { url: to(hanging) })
  await expect.poll(() => receiver.at(hanging).length).toBe(1)
  await change(webhook.id, { active: false, deletedAt: new Date() })
  await expect.poll(async () => (await deliveryOf(app, id)).status).toBe('cancelled')
  expect(await attemptsOf(app, id)).toHaveLength(1)
})

test('sends events about the end of a project after it was deleted', async () => {
  const url = to(path(200))
  dispatcher()
  const { id } = await createDeliveries(app, { url, deletedAt: new Date() })
  await expect.poll(async () => (await deliveryOf(app, id)).status).toBe('succeeded')
})

test('sends a manual retry despite schedule and breaker, and the schedule continues as planned', async () => {
  const failing = path(503)
  dispatcher()
  const openUntil = new Date(Date.now() + 60_000)
  const { webhook, id } = await createDeliveries(app, { url: to(failing), failuresInRow: 10, openUntil })
  await sleep(100)
  expect(receiver.at(failing)).toEqual([])
  const resumeAt = new Date(Date.now() + 60_000)
  const asked = { trigger: 'manual' as const, nextAttemptAt: new Date(), resumeAt }
  await app.dataSource.getRepository(WebhookDeliveryEntity).update({ id }, asked)
  await notifyDispatchers(app.dataSource.manager, webhook.id)
  await expect.poll(async () => (await attemptsOf(app, id)).length).toBe(1)
  const scheduled = { status: 'pending', trigger: 'scheduled', scheduledAttempts: 0, nextAttemptAt: resumeAt }
  expect(await deliveryOf(app, id)).toMatchObject({ ...scheduled, resumeAt: null })
})

test('a failed manual retry leaves a delivery succeeded or failed as before', async () => {
  const failing = path(503)
  dispatcher()
  const deliveredAt = new Date('2026-11-20T12:00:00Z')
  const { webhook } = await createDeliveries(app, { url: to(failing), count: 0 })
  const asked = { webhookId: webhook.id, trigger: 'manual' as const, nextAttemptAt: new Date() }
  const { id: delivered } = await createDeliveryFor(app, { ...asked, deliveredAt })
  const { id: failed } = await createDeliveryFor(app, asked)
  await notifyDispatchers(app.dataSource.manager, webhook.id)
  for (const id of [delivered, failed]) await expect.poll(async () => (await attemptsOf(app, id)).length).toBe(1)
  expect(await deliveryOf(app, delivered)).toMatchObject({ status: 'succeeded', deliveredAt, nextAttemptAt: null })
  expect(await deliveryOf(app, failed)).toMatchObject({ status: 'failed', deliveredAt: null, nextAttemptAt: null })
})

test('a test is attempted once, also if the webhook is paused', async () => {
  const failing = path(503)
  dispatcher()
  const { webhook, id: waiting } = await createDeliveries(app, { url: to(failing), pausedAt: new Date() })
  const [id = ''] = await addDeliveries(app, webhook.id, { trigger: 'test' })
  await expect.poll(async () => (await deliveryOf(app, id)).status).toBe('failed')
  expect(await attemptsOf(app, id)).toMatchObject([{ trigger: 'test', responseStatus: 503 }])
  expect(await deliveryOf(app, waiting)).toMatchObject({ status: 'pending', attemptCount: 0 })
  expect(await webhookOf(app, webhook.id)).toMatchObject({ failuresInRow: 0 })
})

test('an endpoint that never responds delays no other endpoint', async () => {
  dispatcher({ concurrency: 64, timeoutMs: 60_000 })
  const hanging = await createDeliveries(app, { url: to(path()), count: 500 })
  await sleep(100)
  const others = await Promise.all(
    Array.from({ length: 9 }, () => createDeliveries(app, { url: to(path(200)), count: 10 })),
  )
  const poll = { timeout: 20_000 }
  for (const { webhook } of others) await expect.poll(() => statesOf(app, webhook.id), poll).toEqual({ succeeded: 10 })
  // The first deliveries still hang, and the healthy ones overtook them.
  const { in_flight: inFlight, pending } = await statesOf(app, hanging.webhook.id)
  expect(inFlight).toBeLessThanOrEqual(16)
  expect((inFlight ?? 0) + (pending ?? 0)).toBe(500)
})

test('finds a delivery without a notification within about a second', async () => {
  dispatcher({ listening: false })
  await sleep(300)
  const { webhook } = await createDeliveries(app, { url: to(path(200)), count: 0 })
  const [id = ''] = await addDeliveries(app, webhook.id, { silently: true })
  await expect.poll(async () => (await deliveryOf(app, id)).status, { timeout: 2_500 }).toBe('succeeded')
})

test('cut database connections lose nothing, and only deliveries in flight are sent twice', async () => {
  await using slow = await startReceiver((_request, res) => {
    setTimeout(() => res.writeHead(200).end(), 20)
    return undefined
  })
  const perEndpoint = 16
  // A claim that was committed just as the connection was cut is made again after its lease.
  dispatcher({ perEndpoint, leaseMarginMs: 4_000 })
  const { webhook, ids } = await createDeliveries(app, { url: slow.url, count: 300 })
  for (let times = 0; times < 3; times++) {
    await sleep(100)
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid()`
    await app.dataSource.query(cut).catch(() => {}) // The query may cut its own connection.
  }
  const states = () => statesOf(app, webhook.id).catch(() => ({}))
  await expect.poll(states).toEqual({ succeeded: 300 })
  const received = slow.received.map(({ id }) => id)
  expect([...new Set(received)].toSorted()).toEqual(ids.toSorted())
  expect(received.length - ids.length).toBeLessThanOrEqual(3 * perEndpoint)
})

test('stopping waits for deliveries in flight, and releases those that take longer', async () => {
  await using slow = await startReceiver(({ path: asked }, res) => {
    if (asked === '/soon') setTimeout(() => res.writeHead(200).end(), 100)
    return undefined
  })
  const stopped = dispatcher({ drainMs: 300 })
  const soon = await createDeliveries(app, { url: `${slow.url}/soon` })
  const never = await createDeliveries(app, { url: `${slow.url}/never` })
  await expect.poll(() => slow.received.length).toBe(2)
  await stopped[Symbol.asyncDispose]()
  expect(await deliveryOf(app, soon.id)).toMatchObject({ status: 'succeeded', attemptCount: 1 })
  expect(await deliveryOf(app, never.id)).toMatchObject({ status: 'pending', attemptCount: 1, scheduledAttempts: 0 })
  expect(await attemptsOf(app, never.id)).toMatchObject([{ number: 1, responseStatus: null }])
})

test('a response from the former URL does not change the health of the new one', async () => {
  await using gone = await startReceiver((_request, res) => {
    setTimeout(() => res.writeHead(410).end(), 200)
    return undefined
  })
  dispatcher()
  const { webhook, id } = await createDeliveries(app, { url: gone.url })
  await expect.poll(() => gone.received.length).toBe(1)
  await app.dataSource.getRepository(WebhookEntity).update({ id: webhook.id }, { url: to(path(200)) })
  await expect.poll(async () => (await deliveryOf(app, id)).status).toBe('failed')
  expect(await webhookOf(app, webhook.id)).toMatchObject({ active: true, failuresInRow: 0, failingSince: null })
})

test('an endless response body holds its slot for at most two seconds', async () => {
  await using endless = await startReceiver((_request, res) => {
    res.writeHead(200).write('and')
    return undefined
  })
  dispatcher()
  const { id } = await createDeliveries(app, { url: endless.url })
  await expect.poll(async () => (await deliveryOf(app, id)).status, { timeout: 4_000 }).toBe('succeeded')
})
