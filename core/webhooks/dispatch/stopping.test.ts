import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDataSource } from '../../../ormconfig.ts'
import { createTestApp } from '../../testing/app.ts'
import { startDispatcher } from './dispatcher.ts'
import { startReceiver } from './testing/receiver.ts'
import { attemptsOf, createDeliveries } from './testing/scene.ts'

/** Starts a proxy to a database. Frozen, it accepts connections and data, and never responds. */
async function startProxyTo(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const sockets: Socket[] = []
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    sockets.push(near, far)
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
    near.on('data', (chunk) => isFrozen || far.write(chunk))
    far.on('data', (chunk) => isFrozen || near.write(chunk))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on a port')
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: address.port }).toString(),
    freeze: () => void (isFrozen = true),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('stops in time while the database does not respond, and aborts the deliveries in flight', async () => {
  await using opened = new AsyncDisposableStack()
  const app = opened.use(await createTestApp({ role: 'web' }))
  const receiver = opened.use(await startReceiver(() => undefined))
  const proxy = await startProxyTo(app.config.databaseUrl)
  const dataSource = createDataSource({ url: proxy.url, poolSize: 4, onPoolError: () => {} })
  await dataSource.initialize()
  opened.defer(() => dataSource.destroy())
  opened.use(proxy)
  const services = { ...app.services, config: { ...app.config, databaseUrl: proxy.url } }
  const dispatcher = startDispatcher(services, dataSource, { drainMs: 300, settleMs: 300 })
  const { id } = await createDeliveries(app, { url: receiver.url })
  await expect.poll(() => receiver.received.length).toBe(1)
  proxy.freeze()
  // By then it has polled again.
  await sleep(1_200)
  const startedAt = performance.now()
  await dispatcher[Symbol.asyncDispose]()
  expect(performance.now() - startedAt).toBeGreaterThan(890)
  expect(performance.now() - startedAt).toBeLessThan(2_500)
  expect(app.logLines.join('')).toContain('cannot store the outcomes of the last deliveries; they will be sent again')
  expect(await attemptsOf(app, id)).toEqual([])
})
