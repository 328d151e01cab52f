import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createTokenFor } from '../testing/factories.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await createTestApp()
  token = await createTokenFor(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const callAs = (host: string, { url } = app) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${token}` }
    const sent = request(`${url}/health`, { headers }, (answer) => {
      let body = ''
      answer.on('data', (data) => (body += String(data))).on('end', () => resolve({ status: answer.statusCode, body }))
    })
    sent.on('error', reject).end()
  })

test.each([
  'localhost',
  'LocalHost:4000',
  'localhost:80',
  '127.0.0.1',
  '127.0.0.1:4000',
  '127.8.9.10:1',
  '[::1]',
  '[::1]:4000',
  '[::ffff:127.0.0.1]:4000',
])('in local mode, the host %s is accepted', async (host) => {
  expect((await callAs(host)).status).toBe(200)
})

test.each([
  'evil.example',
  'evil.example:4000',
  'localhost.evil.example',
  'evil-localhost',
  '127.0.0.1.evil.example',
  '127.0.0.1@evil.example',
  'evil.example@127.0.0.1',
  'localhost:4000:4000',
  'localhost:x',
  'localhost/evil',
  'localhost,evil.example',
  '[::1]evil.example',
  '[::1',
  '2130706433',
  '0x7f.1',
  '0.0.0.0:4000',
  '10.0.0.1:4000',
  '[::]:4000',
  '[fe80::1]',
])('in local mode, the host %s is refused, because of DNS rebinding', async (host) => {
  const { status, body } = await callAs(host)
  expect(status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('BASE_URL') })
  expect(body).toContain(app.config.baseUrl)
})

test('in local mode, a call without a host name is refused', async () => {
  for (const head of ['GET /health HTTP/1.0\r\n\r\n', 'GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n']) {
    const answer = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(head))
      socket.on('data', (data) => (received += data.toString())).on('close', () => resolve(received))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  }
})

test('in local mode, the host of BASE_URL is accepted with any port', async () => {
  await using named = await createTestApp({ baseUrl: 'http://assay.internal:4000' })
  expect((await callAs('assay.internal:4000', named)).status).toBe(200)
  expect((await callAs('assay.internal', named)).status).toBe(200)
  expect((await callAs('evil.example', named)).status).toBe(400)
})

test('in production, any host name is accepted', async () => {
  await using production = await createTestApp({ production: true, local: false, baseUrl: 'https://assay.example.com' })
  expect((await callAs('core.cluster.internal:4000', production)).status).toBe(200)
})
