import { request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createLimitedServer, type ServerLimits, serverLimits } from './server.ts'

const limits: ServerLimits = {
  headersMs: 300,
  requestMs: 600,
  checkMs: 50,
  keepAliveMs: 200,
  maxConnections: 3,
  maxConnectionsPerAddress: 3,
}

async function start(change: Partial<ServerLimits> = {}) {
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  const server = createLimitedServer(
    (req, res) => {
      req.resume().on('end', () => res.end('done'))
    },
    { ...limits, ...change },
    log,
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  return {
    lines,
    /** Opens a connection, sends the text, and returns when it ends and what it received. */
    open(text: string) {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      let received = ''
      const startedAt = performance.now()
      const ended = new Promise<{ received: string; ms: number }>((resolve) => {
        socket.on('error', () => {}) // Being cut off is what these tests are about.
        socket.on('data', (data) => (received += data.toString()))
        socket.on('close', () => resolve({ received, ms: performance.now() - startedAt }))
      })
      const connected = new Promise<void>((resolve) => socket.once('connect', () => resolve()))
      socket.write(text)
      return { ended, connected, socket, received: () => received }
    },
    status: () =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ port, host: '127.0.0.1', agent: false }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode))
        })
        sent.on('error', reject).end()
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test.each([
  ['sends nothing', ''],
  ['stops in the middle of its headers', 'GET / HTTP/1.1\r\nHost: x\r\nX-'],
  ['stops in the middle of its body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc'],
])('a client that %s is disconnected with an error, and does not delay others', async (_name, text) => {
  await using server = await start()
  const slow = server.open(text)
  await slow.connected
  expect(await server.status()).toBe(200)
  const { received, ms } = await slow.ended
  expect(received).toMatch(/^HTTP\/1\.1 408 /)
  expect(ms).toBeLessThan(5_000)
})

test('an idle connection is closed', async () => {
  await using server = await start()
  const { received } = await server.open('GET / HTTP/1.1\r\nHost: x\r\n\r\n').ended
  expect(received).toMatch(/^HTTP\/1\.1 200 [^]*Keep-Alive: timeout=/)
})

test('connections beyond the limit are refused with one log line, and freed slots are used again', async () => {
  await using server = await start({ headersMs: 10_000, requestMs: 10_000 })
  const held = [server.open(''), server.open(''), server.open('')]
  for (const { connected } of held) await connected
  for (const surplus of [server.open('GET / HTTP/1.1\r\n'), server.open('GET / HTTP/1.1\r\n')]) {
    expect((await surplus.ended).received).toBe('')
  }
  expect(server.lines.filter((line) => line.includes('too many in total are open'))).toHaveLength(1)
  for (const { socket } of held) socket.destroy()
  await expect.poll(() => server.status().catch(() => 'turned away')).toBe(200)
})

test('behind proxies, an idle connection stays open longer than the minute that proxies keep it', () => {
  const bodyTimes = { requestMs: 30_000, uploadMs: 900_000 }
  expect(serverLimits({ trustProxy: 1, bodyTimes }).keepAliveMs).toBeGreaterThan(60_000)
  expect(serverLimits({ trustProxy: 0, bodyTimes }).keepAliveMs).toBeLessThan(10_000)
})

test('one address cannot use all connections, so that others can still connect', async () => {
  await using server = await start({ maxConnections: 10, maxConnectionsPerAddress: 2 })
  const held = [server.open('GET / HTTP/1.1\r\n'), server.open('GET / HTTP/1.1\r\n')]
  await Promise.all(held.map(({ connected }) => connected))
  const third = await server.open('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n').ended
  expect(third.received).toBe('')
  expect(server.lines.join()).toContain('connections are refused')
  await Promise.all(held.map(({ ended }) => ended))
  expect(await server.status()).toBe(200)
})
