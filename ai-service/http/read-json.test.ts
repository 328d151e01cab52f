import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFile, anAnalysis } from '../testing/analysis.ts'
import { type ServedAiService, serve } from '../testing/serve.ts'

const mebibyte = 1_048_576

let service: ServedAiService
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())

test('accepts an analysis just below 8 MiB', async () => {
  const files = Array.from({ length: 78_000 }, (_, index) => aFile(`src/modules/part${index}/implementation.ts`))
  const body = JSON.stringify({ analysis: anAnalysis({ files }) })
  expect(body.length).toBeGreaterThan(7.5 * mebibyte)
  expect(body.length).toBeLessThan(8 * mebibyte)
  expect((await service.post('/suggest-tests', body)).status).toBe(200)
})

test.each(['/suggest-tests', '/analyze', '/generate-tests'])('a body over 8 MiB gives 413 at %s', async (path) => {
  const response = await service.post(path, `"${'x'.repeat(9 * mebibyte)}"`)
  expect(response.status).toBe(413)
  expect(await response.json()).toEqual({
    error: 'Payload Too Large',
    message: expect.stringContaining('8 MiB'),
    code: 'PAYLOAD_TOO_LARGE',
  })
})

test('a body announced as too large is refused before it is sent, and the connection is closed', async () => {
  const socket = connect(service.port, '127.0.0.1')
  socket.write(
    'POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${100 * mebibyte}\r\n\r\n`,
  )
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  await once(socket, 'end')
  socket.destroy()
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer).toContain('Connection: close')
})

test('a body of unknown length is refused once it is too large', async () => {
  let sent = 0
  const endless = new ReadableStream({
    pull(controller) {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536).fill(32))
      if (sent > 200 * mebibyte) controller.close()
    },
  })
  const outcome = await fetch(`${service.origin}/generate-tests`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: endless,
    duplex: 'half',
  }).then(
    ({ status }) => status,
    (error: unknown) => String(error instanceof Error ? error.cause : error),
  )
  // A client that is still writing when the connection closes may lose the response.
  expect(String(outcome)).toMatch(/^413$|EPIPE|ECONNRESET|other side closed/)
  expect(sent).toBeLessThan(50 * mebibyte)
})

test.each([
  ['text/plain', '{}'],
  ['application/x-www-form-urlencoded', 'a=b'],
  ['application/json; charset=utf-16', '{}'],
  ['', '{}'],
])('a body that is not announced as JSON in UTF-8 is 415: %s', async (type, body) => {
  for (const path of ['/suggest-tests', '/generate-tests']) {
    const response = await service.post(path, body, { 'Content-Type': type })
    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
  }
})

test('a compressed body gives 415', async () => {
  const response = await fetch(`${service.origin}/generate-tests`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    body: gzipSync('{"code_analysis":{}}'),
  })
  expect(response.status).toBe(415)
})

test.each(['application/json; charset=utf-8', 'application/json; charset=UTF-8', 'application/vnd.assay+json'])(
  'JSON by another name is JSON: %s',
  async (type) => {
    const response = await service.post('/generate-tests', { code_analysis: {} }, { 'Content-Type': type })
    expect(response.status).toBe(200)
  },
)

test('invalid UTF-8 is malformed', async () => {
  const response = await fetch(`${service.origin}/analyze`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from([...Buffer.from('{"repository_url":"'), 0xc3, 0x28, ...Buffer.from('"}')]),
  })
  expect(response.status).toBe(400)
})

test('endless nesting is refused or ignored, and the service keeps running', async () => {
  const depth = 2 * mebibyte
  for (const body of ['['.repeat(depth), `{"code_analysis":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`]) {
    expect([200, 400]).toContain((await service.post('/generate-tests', body)).status)
  }
  expect((await service.get('/health')).status).toBe(200)
})

test('keys such as __proto__ have no effect', async () => {
  const body = '{"code_analysis":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}'
  expect((await service.post('/generate-tests', body)).status).toBe(200)
  expect('polluted' in {}).toBe(false)
})

test('an analysis with thousands of invalid fields gets a short answer', async () => {
  const analysis = { ...anAnalysis(), files: Array.from({ length: 5_000 }, () => ({ path: 1 })) }
  const { message } = (await (await service.post('/suggest-tests', { analysis })).json()) as { message: string }
  expect(message).toContain('analysis.files.0.path')
  expect(message).toMatch(/and \d+ more$/)
  expect(message.length).toBeLessThan(500)
})
