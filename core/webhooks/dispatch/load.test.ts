import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../../testing/factories.ts'
import { times } from '../../testing/organization-scene.ts'
import { newId } from '../../base/ids.ts'
import { type DispatcherOptions, startDispatcher } from './dispatcher.ts'
import { addDeliveries, createDeliveries, statesOf } from './testing/scene.ts'
import { type Receiver, startReceiver } from './testing/receiver.ts'

/** How long an attempt waits for an answer. */
const hangMs = 20_000

let app: TestApp
/** Responds to tests and to `/ok`, and never to anything else. */
let receiver: Receiver

beforeAll(async () => {
  app = await createTestApp({ role: 'web', webhooks: { retryMs: [0], timeoutMs: hangMs, connectTimeoutMs: 500 } })
  receiver = await startReceiver(({ path, headers }) =>
    path === '/ok' || headers['x-svc-event'] === 'webhook.test' ? 200 : undefined,
  )
})
// The backlog of one test must not take slots in the next.
afterEach(() => app.dataSource.query('UPDATE webhooks SET paused_at = created_at'))
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

function dispatcher(options: DispatcherOptions = {}) {
  const started = startDispatcher(app.services, app.dataSource, { drainMs: 50, ...options })
  onTestFinished(() => started[Symbol.asyncDispose]())
}

/** Creates endpoints of one owner that never respond. */
async function hang(count: number, fields: { userId?: string; organizationId?: string } = {}) {
  const userId = fields.userId ?? (await createUser(app)).id
  const url = `${receiver.url}/hanging`
  await Promise.all(times(count).map(() => createDeliveries(app, { userId, ...fields, url, count: 4 })))
}

/** Expects deliveries to arrive before any of those that hang can have ended. */
async function expectAtOnce() {
  const startedAt = performance.now()
  const { webhook } = await createDeliveries(app, { url: `${receiver.url}/ok`, count: 5 })
  await expect.poll(() => statesOf(app, webhook.id), { interval: 5 }).toEqual({ succeeded: 5 })
  expect(performance.now() - startedAt).toBeLessThan(hangMs / 2)
}

const fewSlots = { concurrency: 128, perEndpoint: 4 }

test('six owners of many hanging endpoints leave slots for another owner', async () => {
  dispatcher(fewSlots)
  for (const _ of times(6)) await hang(15)
  await expectAtOnce()
})

test('a user with hanging webhooks in many organizations leaves slots for other users', async () => {
  dispatcher(fewSlots)
  const { id: userId } = await createUser(app)
  for (const _ of times(5)) await hang(15, { userId, organizationId: newId(new Date()) })
  await expectAtOnce()
})

test('a test returns in time although the backlog of its webhook hangs', async () => {
  dispatcher()
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const { webhook } = await createDeliveries(app, {
    userId: user.id,
    projectId,
    url: `${receiver.url}/hanging`,
    count: 50,
  })
  await expect.poll(() => statesOf(app, webhook.id)).toMatchObject({ in_flight: 16 })
  const { webhooks } = app.client(await createTokenFor(app, { user }))
  const startedAt = performance.now()
  const { delivery } = await webhooks.test.mutate({ webhookId: webhook.id, waitSeconds: 10 })
  expect(delivery).toMatchObject({ status: 'succeeded', responseStatus: 200 })
  expect(performance.now() - startedAt).toBeLessThan(hangMs / 2)
  expect(await statesOf(app, webhook.id)).toMatchObject({ in_flight: 16, pending: 34 })
})

test('manual deliveries are sent without a pause while the breaker is open', async () => {
  const capacity = 6
  let maxBusy = 0
  const waiting: ServerResponse[] = []
  await using slow = await startReceiver((_request, res) => {
    maxBusy = Math.max(maxBusy, waiting.push(res))
    // Answers once all slots are in use. A seventh request has 20 ms to arrive.
    if (waiting.length === capacity) {
      setTimeout(() => {
        for (const response of waiting.splice(0)) response.writeHead(503).end()
      }, 20)
    }
    return undefined
  })
  const openUntil = new Date(Date.now() + 60_000)
  const { webhook } = await createDeliveries(app, { url: slow.url, count: 0, failuresInRow: 10, openUntil })
  dispatcher({ perEndpoint: 4, listening: false })
  const startedAt = performance.now()
  await addDeliveries(app, webhook.id, { count: 60, trigger: 'manual' })
  await expect.poll(() => statesOf(app, webhook.id), { interval: 10 }).toEqual({ failed: 60 })
  // With a pause of a second between them, they would take a minute.
  expect(performance.now() - startedAt).toBeLessThan(hangMs)
  expect(maxBusy).toBe(capacity)
})
