import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerResponse } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { attemptsOf, createDeliveries, deliveryOf, webhookOf } from './testing/scene.ts'
import { type Received, type Receiver, startReceiver } from './testing/receiver.ts'

const retryMs = [0, 60, 120, 180, 240, 300]
// The benchmark measures the real delay; here other tests load the machine.
const lateMs = 2_000
let app: TestApp
/** Has short timeouts, for receivers that never respond. */
let impatient: TestApp
let receiver: Receiver

/** The path selects the response: a status, or a word for a kind of failure. */
function answer({ path }: Received, res: ServerResponse, earlier: number): number | undefined {
  const [, what = ''] = path.split('/')
  if (what === 'recovers') return earlier < 2 ? 503 : 204
  if (what === 'redirect') res.setHeader('location', '/followed')
  if (what === 'retry-after') res.setHeader('retry-after', '1')
  if (what === 'hang-up') res.destroy()
  if (what === 'drip') res.writeHead(200).write('taken')
  const status = { redirect: 302, 'retry-after': 503 }[what] ?? Number(what)
  return Number.isNaN(status) ? undefined : status
}

beforeAll(async () => {
  app = await createTestApp({ webhooks: { retryMs, timeoutMs: 10_000, connectTimeoutMs: 10_000 } })
  impatient = await createTestApp({ webhooks: { retryMs, timeoutMs: 300, connectTimeoutMs: 150 } })
  receiver = await startReceiver(answer)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await impatient[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function deliver(path: string, { url = receiver.url, by = app } = {}) {
  const { id, webhook } = await createDeliveries(by, { url: `${url}${path}` })
  while (!/succeeded|failed/.test((await deliveryOf(by, id)).status)) await sleep(20)
  return { delivery: await deliveryOf(by, id), attempts: await attemptsOf(by, id), webhook }
}

/** Checks the delays, from the end of one attempt to the start of the next: never too short, and not much longer. */
function expectSchedule(attempts: { startedAt: Date; durationMs: number }[], steps = retryMs) {
  const waits = attempts.slice(1).map(({ startedAt }, index) => {
    const before = attempts[index]
    return startedAt.getTime() - ((before?.startedAt.getTime() ?? 0) + (before?.durationMs ?? 0))
  })
  for (const [index, wait] of waits.entries()) {
    // Times are in whole milliseconds.
    expect(wait).toBeGreaterThanOrEqual((steps[index + 1] ?? 0) - 1)
    expect(wait).toBeLessThan((steps[index + 1] ?? 0) + lateMs)
  }
}

test.concurrent.each([200, 204, 299])('%d ends the delivery with success', async (status) => {
  const { delivery, attempts, webhook } = await deliver(`/${status}/ends`)
  expect(delivery).toMatchObject({ status: 'succeeded', responseStatus: status, error: null, attemptCount: 1 })
  expect(delivery.deliveredAt).not.toBeNull()
  expect(delivery.nextAttemptAt).toBeNull()
  expect(attempts).toMatchObject([{ number: 1, trigger: 'scheduled', responseStatus: status, address: '127.0.0.1' }])
  expect(await webhookOf(app, webhook.id)).toMatchObject({ deliveryCount: 1, lastDeliveryAt: delivery.deliveredAt })
})

test.concurrent.each([301, 302, 400, 404, 410, 425])('%d is final and is not retried', async (status) => {
  const { delivery, attempts } = await deliver(`/${status}/final`)
  expect(delivery).toMatchObject({ status: 'failed', responseStatus: status, attemptCount: 1, deliveredAt: null })
  expect(delivery.error).toContain(String(status))
  expect(attempts).toHaveLength(1)
  expect(receiver.at(`/${status}/final`)).toHaveLength(1)
})

test.concurrent.each([408, 429, 500, 503, 599])('%d is attempted six times', async (status) => {
  const { delivery, attempts } = await deliver(`/${status}/again`)
  expect(delivery).toMatchObject({ status: 'failed', responseStatus: status, attemptCount: 6, scheduledAttempts: 6 })
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
  expectSchedule(attempts)
  const requests = receiver.at(`/${status}/again`)
  expect(requests.map(({ headers }) => headers['x-svc-delivery-attempt'])).toEqual([undefined, '2', '3', '4', '5', '6'])
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
  expect(new Set(requests.map(({ headers }) => headers['x-svc-signature'])).size).toBe(1)
  expect(new Set(requests.map(({ headers }) => headers['x-svc-timestamp'])).size).toBe(6)
})

test.concurrent('does not follow redirects', async () => {
  const { delivery } = await deliver('/redirect/1')
  expect(delivery).toMatchObject({ status: 'failed', responseStatus: 302, attemptCount: 1 })
  expect(receiver.at('/followed')).toEqual([])
})

test.concurrent('a closed connection and a missing response are attempted six times', async () => {
  const ended = await Promise.all([deliver('/hang-up/1'), deliver('/silence/1', { by: impatient })])
  for (const { delivery, attempts } of ended) {
    expect(delivery).toMatchObject({ status: 'failed', responseStatus: null, attemptCount: 6 })
    expect(delivery.error).toMatch(/\w/)
    expectSchedule(attempts)
  }
})

test.concurrent('a connection that is never established times out and is attempted six times', async () => {
  // The server accepts TCP connections and never answers the TLS handshake.
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const { delivery, attempts } = await deliver('/', { url: `https://127.0.0.1:${port}`, by: impatient })
    expect(delivery).toMatchObject({ status: 'failed', responseStatus: null, attemptCount: 6 })
    for (const { durationMs } of attempts) expect(durationMs).toBeLessThan(10_000)
  } finally {
    server.close()
  }
})

test.concurrent('a response with a slow body is a success', async () => {
  const { delivery } = await deliver('/drip/1')
  expect(delivery).toMatchObject({ status: 'succeeded', responseStatus: 200, attemptCount: 1, responseBody: 'taken' })
})

test.concurrent('a delivery that fails twice and then succeeds is delivered', async () => {
  const { delivery, webhook } = await deliver('/recovers/1')
  expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 3, error: null })
  expect(await webhookOf(app, webhook.id)).toMatchObject({ failuresInRow: 0, failingSince: null, deliveryCount: 1 })
})

test.concurrent('Retry-After extends a delay, at most to twice its length', async () => {
  const { attempts } = await deliver('/retry-after/1')
  expect(attempts).toHaveLength(6)
  expectSchedule(
    attempts,
    retryMs.map((step) => 2 * step),
  )
})

test.concurrent('410 deactivates the webhook and is in the audit log', async () => {
  const { webhook } = await deliver('/410/gone')
  expect(await webhookOf(app, webhook.id)).toMatchObject({
    active: false,
    disabledReason: expect.stringContaining('410') as string,
  })
  const logs = await app.dataSource.query('SELECT action, metadata FROM audit_logs WHERE user_id = $1', [
    webhook.userId,
  ])
  expect(logs).toMatchObject([{ action: 'webhook_disabled', metadata: { webhookId: webhook.id } }])
})
