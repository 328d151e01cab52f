import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAnalysis } from '../testing/analysis.ts'
import { type ServedAiService, serve } from '../testing/serve.ts'

let service: ServedAiService
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())

test('an unknown route gives 404 and the list of routes', async () => {
  const response = await service.get('/suggest')
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({
    error: 'Not Found',
    message: expect.stringContaining('POST /suggest-tests'),
    code: 'NOT_FOUND',
  })
})

test.each([
  ['GET', '/suggest-tests', 'POST'],
  ['DELETE', '/health', 'HEAD, GET'],
  ['PROPFIND', '/analyze', 'POST'],
])('%s %s is 405 and says what is allowed', async (method, path, allowed) => {
  const response = await fetch(service.origin + path, { method })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe(allowed)
  expect(await response.json()).toMatchObject({ error: 'Method Not Allowed', code: 'METHOD_NOT_ALLOWED' })
})

test('answers 404 to an unknown method on an unknown route', async () => {
  expect((await fetch(`${service.origin}/nowhere`, { method: 'PROPFIND' })).status).toBe(404)
})

test('HEAD answers like GET, without a body', async () => {
  const response = await fetch(`${service.origin}/health`, { method: 'HEAD' })
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('')
})

test.each(['trace-1.a_B', 'x'.repeat(128)])('keeps the request id of the caller: %s', async (id) => {
  const response = await service.get('/health', { 'X-Request-Id': id })
  expect(response.headers.get('x-request-id')).toBe(id)
})

test.each(['', 'two words', 'x'.repeat(129), 'a"b', 'a/b'])('replaces an invalid request id: %s', async (id) => {
  const response = await service.get('/nowhere', { 'X-Request-Id': id })
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
})

test('answers and errors have the security headers', async () => {
  for (const path of ['/', '/nowhere']) {
    const { headers } = await service.get(path)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('the log has one line per request with its id, without secrets and body', async () => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  {
    await using logged = await serve({ AI_SERVICE_SECRET: 'hush-hush' }, { logger: pino(sink) })
    const headers = { 'X-Request-Id': 'trace-7', Authorization: 'Bearer hush-hush' }
    await logged.post('/suggest-tests?token=abc', { analysis: anAnalysis({ branch: 'secret-branch' }) }, headers)
  }
  const log = lines.join('')
  const entry: unknown = JSON.parse(lines.find((line) => line.includes('request answered')) ?? '')
  expect(entry).toMatchObject({ requestId: 'trace-7', method: 'POST', path: '/suggest-tests', status: 200 })
  for (const hidden of ['hush-hush', 'token=abc', 'secret-branch', 'parseConfig']) expect(log).not.toContain(hidden)
})
