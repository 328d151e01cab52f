import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { httpReceiver, rawReceiver } from '../testing/receiver.ts'
import { attemptDelivery, type AttemptOptions } from './attempt.ts'
import type { AttemptRequest } from './exchange.ts'

const options: AttemptOptions = {
  allowCidrs: ['127.0.0.0/8'],
  requireHttps: false,
  connectTimeoutMs: 2_000,
  timeoutMs: 5_000,
}
const never = new AbortController().signal

const post = (url: string, fields: Partial<AttemptRequest> = {}) =>
  attemptDelivery({ url, body: '{}', headers: { 'content-type': 'application/json' }, ...fields }, options, never)

/** Returns the outcome of an attempt whose receiver sends these bytes and, unless it stays, closes the connection. */
async function answered(bytes: string | Buffer, { stay = false } = {}) {
  await using receiver = await rawReceiver((socket) => (stay ? socket.write(bytes) : socket.end(bytes)))
  return await post(receiver.url)
}

test('sends the body byte for byte, with the given headers, over a new connection', async () => {
  const seen: { request: IncomingMessage; body: Buffer }[] = []
  await using receiver = await httpReceiver((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ request, body: Buffer.concat(chunks) })
      response.end('thanks')
    })
  })
  const body = '{"note":"é \u2028 😀"}'
  const headers = { 'Content-Type': 'application/json', 'X-Svc-Event': 'project.updated', Connection: 'keep-alive' }
  const before = Date.now()
  const outcome = await post(`${receiver.url}?token=a%20b`, { body, headers })
  await post(receiver.url, { body: Buffer.from(body), headers })
  expect(outcome).toEqual({
    responseStatus: 200,
    responseHead: 'thanks',
    error: null,
    address: '127.0.0.1',
    retryAfterMs: null,
    startedAt: expect.any(Date),
    durationMs: expect.any(Number),
  })
  expect(outcome.startedAt.getTime()).toBeGreaterThanOrEqual(before)
  expect(Number.isInteger(outcome.durationMs)).toBe(true)
  for (const one of seen) expect(one.body.equals(Buffer.from(body))).toBe(true)
  expect(seen[0]?.request.url).toBe('/hook?token=a%20b')
  expect(seen[0]?.request.method).toBe('POST')
  expect(seen[0]?.request.headers).toEqual({
    'content-type': 'application/json',
    'x-svc-event': 'project.updated',
    host: `127.0.0.1:${receiver.port}`,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  })
  expect(receiver.connections).toBe(2)
})

test.each([200, 204, 299, 300, 304, 400, 404, 408, 410, 425, 429, 500, 503, 599])(
  'returns the status %i',
  async (status) => {
    const { responseStatus, error } = await answered(`HTTP/1.1 ${status} Whatever\r\nContent-Length: 0\r\n\r\n`)
    expect({ responseStatus, error }).toEqual({ responseStatus: status, error: null })
  },
)

test.each([301, 302, 303, 307, 308])('does not follow a redirect with %i', async (status) => {
  await using elsewhere = await httpReceiver((_, response) => response.end())
  const location = `Location: ${elsewhere.url}`
  const outcome = await answered(`HTTP/1.1 ${status} Elsewhere\r\n${location}\r\nContent-Length: 0\r\n\r\n`)
  expect(outcome).toMatchObject({ responseStatus: status, responseHead: '', error: null })
  expect(elsewhere.connections).toBe(0)
})

test('waits for the response after interim responses', async () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  const outcome = await answered(`${interim}HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok`)
  expect(outcome).toMatchObject({ responseStatus: 202, responseHead: 'ok', error: null })
})

test('reads a response that ends with its connection', async () => {
  const outcome = await answered('HTTP/1.0 200 OK\r\n\r\nto the end')
  expect(outcome).toMatchObject({ responseStatus: 200, responseHead: 'to the end', error: null })
})

test('does not wait if the receiver keeps the connection open after its response', async () => {
  const outcome = await answered('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', { stay: true })
  expect(outcome).toMatchObject({ responseStatus: 200, responseHead: 'ok' })
  expect(outcome.durationMs).toBeLessThan(3_000)
})

test('accepts a response that comes before the request was read, and stops sending', async () => {
  let taken: Socket | undefined
  await using receiver = await rawReceiver((socket) => {
    taken = socket.pause()
    socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig')
  })
  const outcome = await post(receiver.url, { body: 'x'.repeat(32_000_000) })
  expect(outcome).toMatchObject({ responseStatus: 413, responseHead: 'big', error: null })
  taken?.resume()
  await expect.poll(() => taken?.destroyed).toBe(true)
  expect(taken?.bytesRead).toBeLessThan(32_000_000)
})

test('throws for headers that cannot be sent, since they are a defect', async () => {
  await using receiver = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
  const headers = { 'X-Svc-Event': 'a\r\nX-Other: b' }
  await expect(post(receiver.url, { headers })).rejects.toThrow('Invalid character')
})

test('the status counts even if the connection breaks during the body', async () => {
  const outcome = await answered('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
  expect(outcome).toMatchObject({ responseStatus: 200, responseHead: 'half', error: null })
})

test.each([
  ['nothing', '', 'closed the connection before it answered'],
  ['half a header', 'HTTP/1.1 200 OK\r\nContent-', 'closed the connection before it answered'],
  ['only an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n', 'closed the connection before it answered'],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', 'asked to switch protocols'],
  [
    'another protocol by the book',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'asked to switch protocols',
  ],
  ['HTTP/0.9', '<html>hello</html>', 'is not HTTP'],
  ['another service', 'SSH-2.0-OpenSSH_9.9\r\n', 'is not HTTP'],
  ['a wrong length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 'is not HTTP'],
])('%s is not a response', async (_, bytes, words) => {
  const outcome = await answered(bytes)
  expect(outcome).toMatchObject({ responseStatus: null, responseHead: null, address: '127.0.0.1' })
  expect(outcome.error).toContain(words)
  expect(outcome.error).toContain('127.0.0.1')
})

test('a reset or refused connection is an outcome', async () => {
  const receiver = await rawReceiver((socket) => socket.resetAndDestroy())
  expect((await post(receiver.url)).error).toBe('127.0.0.1 closed the connection before it answered.')
  await receiver[Symbol.asyncDispose]()
  expect(await post(receiver.url)).toMatchObject({
    error: '127.0.0.1 refuses connections on this port.',
    address: '127.0.0.1',
  })
})

test('stores response text in a form that Postgres accepts', async () => {
  const body = Buffer.from('a\0b\ufeff"<é>"\xff', 'utf8')
  const outcome = await answered(
    Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), body, Buffer.from([0xed, 0xa0])]),
  )
  expect(outcome.responseHead).toBe('ab\ufeff"<é>"ÿ\ufffd\ufffd')
  expect(outcome.responseHead?.isWellFormed()).toBe(true)
})

test.each([
  ['letters', Buffer.alloc(20_000, 'x')],
  ['wide characters', Buffer.from(`x${'😀'.repeat(5_000)}`)],
  ['bytes that are no text', Buffer.alloc(20_000, 0xff)],
])('keeps at most 16 KiB of %s', async (_, body) => {
  const { responseHead } = await answered(Buffer.concat([Buffer.from('HTTP/1.1 500 No\r\n\r\n'), body]))
  const length = Buffer.byteLength(responseHead ?? '')
  expect(length).toBeLessThanOrEqual(16_384)
  expect(length).toBeGreaterThan(16_380)
})

test('does not decompress a response', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
  expect(await answered(Buffer.concat([Buffer.from(head), bomb]))).toMatchObject({
    responseStatus: 200,
    responseHead: '',
  })
})

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Fri, 01 Jan 2021 00:00:00 GMT', 0],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['2', 2_000],
  ['9'.repeat(400), null],
])('reads Retry-After: %s', async (value, ms) => {
  const { retryAfterMs } = await answered(`HTTP/1.1 503 Busy\r\nRetry-After: ${value}\r\nContent-Length: 0\r\n\r\n`)
  expect(retryAfterMs).toBe(ms)
})

test('reads a date in Retry-After', async () => {
  const date = new Date(Date.now() + 60_000).toUTCString()
  const { retryAfterMs } = await answered(`HTTP/1.1 429 Slow\r\nRetry-After: ${date}\r\nContent-Length: 0\r\n\r\n`)
  expect(retryAfterMs).toBeGreaterThan(50_000)
  expect(retryAfterMs).toBeLessThanOrEqual(60_000)
})

test('sends nothing to a URL that webhooks may not have', async () => {
  await using receiver = await httpReceiver((_, response) => response.end())
  const request = { url: receiver.url, body: '{}', headers: {} }
  const secure = await attemptDelivery(request, { ...options, requireHttps: true }, never)
  expect(secure).toMatchObject({ responseStatus: null, error: expect.stringContaining('Use https'), address: null })
  const withPassword = receiver.url.replace('//', '//user:secret@')
  expect((await post(withPassword)).error).toMatch(/^(?!.*secret).*user name or password/)
  expect(receiver.connections).toBe(0)
})

test('rejects with the reason of the signal when it aborts', async () => {
  await using receiver = await rawReceiver((socket) => void once(socket, 'close').then(() => (closed = true)))
  let closed = false
  const stop = new AbortController()
  const attempt = attemptDelivery({ url: receiver.url, body: '{}', headers: {} }, options, stop.signal)
  await expect.poll(() => receiver.connections).toBe(1)
  stop.abort(new Error('shutting down'))
  await expect(attempt).rejects.toThrow('shutting down')
  await expect.poll(() => closed).toBe(true)
  const late = attemptDelivery({ url: receiver.url, body: '{}', headers: {} }, options, stop.signal)
  await expect(late).rejects.toThrow('shutting down')
  expect(receiver.connections).toBe(1)
})
