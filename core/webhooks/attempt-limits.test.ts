import { createServer } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { deafReceiver, listening, rawReceiver } from '../testing/receiver.ts'
import { attemptDelivery, type AttemptOptions } from './attempt.ts'

const options: AttemptOptions = {
  allowCidrs: ['127.0.0.0/8'],
  requireHttps: false,
  connectTimeoutMs: 2_000,
  timeoutMs: 500,
}
const never = new AbortController().signal
const request = { body: '{}', headers: {} }

const intervals = new Set<NodeJS.Timeout>()
afterAll(() => {
  for (const interval of intervals) clearInterval(interval)
})

/** Returns the outcome of an attempt whose receiver sends `first`, and then `drop` again and again. */
async function dripped(first: string, drop: string, timeoutMs = options.timeoutMs) {
  await using receiver = await rawReceiver((socket) => {
    socket.write(first)
    intervals.add(setInterval(() => socket.write(drop), 20))
  })
  return await attemptDelivery({ ...request, url: receiver.url }, { ...options, timeoutMs }, never)
}

/** Like `dripped`, but as fast as possible. Also returns how many bytes the receiver sent. */
async function flooded(first: string, piece: string, limit = Infinity) {
  let sent = 0
  await using receiver = await rawReceiver((socket) => {
    const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
    const pump = () => {
      while (!socket.destroyed && sent < limit) {
        sent += chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', pump)
    socket.write(first)
    pump()
  })
  const before = process.memoryUsage().arrayBuffers
  const outcome = await attemptDelivery({ ...request, url: receiver.url }, { ...options, timeoutMs: 60_000 }, never)
  const grownBy = process.memoryUsage().arrayBuffers - before
  return { outcome, sent, grownBy }
}

/** A busy machine may end an attempt late. Without a timeout, it would never end. */
const inTime = (ms: number, timeoutMs = options.timeoutMs) => {
  expect(ms).toBeGreaterThan(timeoutMs - 20)
  expect(ms).toBeLessThan(timeoutMs + 20_000)
}

test.concurrent('ends after the timeout if the receiver never responds', async () => {
  await using receiver = await rawReceiver(() => undefined)
  const outcome = await attemptDelivery({ ...request, url: receiver.url }, options, never)
  expect(outcome).toMatchObject({ responseStatus: null, error: '127.0.0.1 did not answer within 0.5 s.' })
  inTime(outcome.durationMs)
})

test.concurrent('ends after the timeout if the receiver reads nothing', async () => {
  await using receiver = await rawReceiver((socket) => socket.pause())
  const big = { ...request, url: receiver.url, body: 'x'.repeat(16_000_000) }
  const outcome = await attemptDelivery(big, options, never)
  expect(outcome.error).toBe('127.0.0.1 did not answer within 0.5 s.')
  inTime(outcome.durationMs)
})

test.concurrent('ends after the connect timeout if the port accepts no connection', async () => {
  await using receiver = await deafReceiver()
  const outcome = await attemptDelivery({ ...request, url: receiver.url }, { ...options, connectTimeoutMs: 200 }, never)
  expect(outcome).toMatchObject({
    responseStatus: null,
    error: 'No connection to 127.0.0.1 within 0.2 s.',
    address: '127.0.0.1',
  })
  inTime(outcome.durationMs, 200)
})

test.concurrent('ends after the connect timeout if the TLS handshake never completes', async () => {
  await using receiver = await listening(createServer(), { protocol: 'https' })
  const outcome = await attemptDelivery({ ...request, url: receiver.url }, { ...options, connectTimeoutMs: 200 }, never)
  expect(outcome).toMatchObject({
    responseStatus: null,
    error: 'No connection to 127.0.0.1 within 0.2 s.',
    address: '127.0.0.1',
  })
  inTime(outcome.durationMs, 200)
})

test.concurrent.each([
  ['headers', 'HTTP/1.1 200 OK\r\n', 'x-y: z\r\n'],
  ['a header', 'HTTP/1.1 200 OK\r\nx-y: ', 'z'],
  ['interim answers', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
])('ends after the timeout if the receiver drips %s', async (_, first, drop) => {
  const outcome = await dripped(first, drop)
  expect(outcome).toMatchObject({ responseStatus: null, error: '127.0.0.1 did not answer within 0.5 s.' })
  inTime(outcome.durationMs)
})

test.concurrent.each([
  ['body', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', 'x', /^x+$/],
  ['body in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n', /^x+$/],
  ['chunk extension', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'x', /^$/],
  ['trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'x-y: z\r\n', /^$/],
])('returns the status and ends after the timeout if the receiver drips its %s', async (...row) => {
  const [, first, drop, head] = row
  // Long enough for the first line to arrive on a busy machine.
  const outcome = await dripped(first, drop, 1_800)
  expect(outcome).toMatchObject({ responseStatus: 200, error: null, responseHead: expect.stringMatching(head) })
  inTime(outcome.durationMs, 1_800)
})

test.each([
  ['1 GB', 'HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n', 'x', 2 ** 30],
  ['a body without end', 'HTTP/1.1 200 OK\r\n\r\n', 'x', Infinity],
  [
    'chunks without end',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    '1000\r\n' + 'x'.repeat(4_096) + '\r\n',
    Infinity,
  ],
])('reads only the beginning of %s', async (_, first, piece, limit) => {
  const { outcome, sent, grownBy } = await flooded(first, piece, limit)
  expect(outcome).toMatchObject({ responseStatus: 200, error: null })
  expect(outcome.responseHead).toBe('x'.repeat(16_384))
  expect(outcome.durationMs).toBeLessThan(20_000)
  // The buffers of two sockets.
  expect(sent).toBeLessThan(32_000_000)
  expect(grownBy).toBeLessThan(4_000_000)
})

test('does not wait for more than 64 KiB of a body', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'
  await using receiver = await rawReceiver((socket) => socket.write(head + 'x'.repeat(65_536)))
  const outcome = await attemptDelivery({ ...request, url: receiver.url }, { ...options, timeoutMs: 60_000 }, never)
  expect(outcome).toMatchObject({ responseStatus: 200, error: null })
  expect(outcome.durationMs).toBeLessThan(20_000)
})

test.each([
  ['a chunk extension', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'x', 200],
  ['interim answers', '', 'HTTP/1.1 100 Continue\r\n\r\n', null],
  ['empty lines', '', '\r\n', null],
])('cuts off endless %s soon', async (_, first, piece, responseStatus) => {
  const { outcome, sent, grownBy } = await flooded(first, piece)
  expect(outcome).toMatchObject({ responseStatus })
  expect(outcome.durationMs).toBeLessThan(20_000)
  expect(sent).toBeLessThan(32_000_000)
  expect(grownBy).toBeLessThan(4_000_000)
})

test.each([
  ['100 KB of headers', `HTTP/1.1 200 OK\r\n${'x-y: 0123456789\r\n'.repeat(6_000)}\r\n`],
  ['one header of 100 KB', `HTTP/1.1 200 OK\r\nx-y: ${'z'.repeat(100_000)}\r\n\r\n`],
  ['a status line of 100 KB', `HTTP/1.1 200 ${'z'.repeat(100_000)}\r\n\r\n`],
])('rejects %s', async (_, bytes) => {
  await using receiver = await rawReceiver((socket) => socket.end(bytes))
  const outcome = await attemptDelivery({ ...request, url: receiver.url }, options, never)
  expect(outcome).toMatchObject({ responseStatus: null, responseHead: null })
  expect(outcome.error).toBe('127.0.0.1 answered with too many headers.')
})
