import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { expect, test } from 'vitest'
import { sendEvents, type ServerEvent } from './event-stream.ts'
import type { RequestState } from './request-state.ts'

async function serve(
  batches: () => AsyncIterable<readonly ServerEvent[]>,
  pauses: { heartbeatMs: number; stallMs: number },
) {
  const koa = new Koa<RequestState>()
  koa.use(async (ctx) => {
    const leaving = new AbortController()
    ctx.res.once('close', () => leaving.abort())
    await sendEvents(leaving, ctx, batches(), pauses)
  })
  const handle = koa.callback()
  const server = createServer((req, res) => void handle(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('events arrive as server-sent events, with a heartbeat after a pause', async () => {
  async function* batches() {
    yield [
      { event: 'log', id: '7', data: { text: 'two\nlines\r' } },
      { event: 'status', data: null },
    ]
    for (let quiet = 0; quiet < 30; quiet++) {
      await sleep(10)
      yield []
    }
    yield [{ event: 'end', data: 1 }]
  }
  await using server = await serve(batches, { heartbeatMs: 100, stallMs: 5_000 })
  const text = await (await fetch(server.url)).text()
  const [retry, log, status, ...rest] = text.split('\n\n')
  expect([retry, log, status]).toEqual([
    'retry: 2000',
    'id: 7\nevent: log\ndata: {"text":"two\\nlines\\r"}',
    'event: status\ndata: null',
  ])
  expect(rest.slice(-2)).toEqual(['event: end\ndata: 1', ''])
  const beats = rest.slice(0, -2)
  expect(new Set(beats)).toEqual(new Set([':']))
  expect(beats.length).toBeLessThanOrEqual(5)
})

test('a client that reads nothing is disconnected, and the event source is closed', async () => {
  let ended = false
  async function* batches() {
    try {
      for (;;) yield [{ event: 'log', data: 'x'.repeat(1_000_000) }]
    } finally {
      ended = true
    }
  }
  await using server = await serve(batches, { heartbeatMs: 1_000, stallMs: 200 })
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {}) // Being cut off is what this is about.
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  socket.pause()
  await expect.poll(() => ended, { timeout: 5_000 }).toBe(true)
  socket.destroy()
})
