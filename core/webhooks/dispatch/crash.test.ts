import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createDeliveries, statesOf } from './testing/scene.ts'
import { startReceiver } from './testing/receiver.ts'

async function startWorker({ config }: TestApp): Promise<ChildProcess> {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: config.databaseUrl,
    SECRET_KEY: config.secretKey,
    DATA_DIR: config.dataDir,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_TIMEOUT_SECONDS: '1',
    LOG_LEVEL: 'silent',
    DISPATCHER_OPTIONS: JSON.stringify({ leaseMarginMs: 500 }),
  }
  const worker = fork(new URL('testing/worker.ts', import.meta.url), {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(worker, 'message')
  return worker
}

test('kill -9 of workers loses nothing, and sends again at most what was in flight', async () => {
  await using opened = new AsyncDisposableStack()
  const app = opened.use(await createTestApp({ role: 'web' }))
  const receiver = opened.use(
    await startReceiver((_request, res) => {
      setTimeout(() => res.writeHead(200).end(), 30)
      return undefined
    }),
  )
  const workers = await Promise.all([1, 2, 3].map(() => startWorker(app)))
  opened.defer(async () => {
    for (const worker of workers) worker.kill('SIGKILL')
  })
  const { webhook, ids } = await createDeliveries(app, { url: receiver.url, count: 300 })
  let maxInFlight = 0
  for (const arrived of [60, 150]) {
    await expect.poll(() => receiver.received.length, { interval: 5 }).toBeGreaterThan(arrived)
    const killed = workers.shift()
    killed?.kill('SIGKILL')
    if (killed) await once(killed, 'exit')
    maxInFlight += (await statesOf(app, webhook.id))['in_flight'] ?? 0
  }
  await expect.poll(() => statesOf(app, webhook.id)).toEqual({ succeeded: 300 })
  await sleep(50)
  const received = receiver.received.map(({ id }) => id)
  expect([...new Set(received)].toSorted()).toEqual(ids.toSorted())
  expect(received.length - 300).toBeLessThanOrEqual(maxInFlight)
})
