import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createTokenFor } from '../core/testing/factories.ts'
import { createAuthenticator } from './authenticate.ts'

let core: TestApp

beforeAll(async () => {
  core = await createTestApp()
})
afterAll(() => core[Symbol.asyncDispose]())

const { signal } = new AbortController()

/** Core writes its log when a response closes, possibly after the client has read it. */
async function timesAsked(expected: number): Promise<number> {
  const asked = () => core.logLines.filter((line) => line.includes('/trpc/tokens.current')).length
  await expect.poll(asked, { timeout: 2_000 }).toBe(expected)
  return asked()
}

test('asks core about a token at most once in five seconds', async () => {
  let now = 1_000
  const token = await createTokenFor(core)
  const { authenticate } = createAuthenticator(core.url, () => now)
  const first = await authenticate(`Bearer ${token}`, signal)
  now += 4_999
  expect(await authenticate(`bearer ${token}`, signal)).toEqual(first)
  expect(await timesAsked(1)).toBe(1)
  now += 1
  await authenticate(`Bearer ${token}`, signal)
  expect(await timesAsked(2)).toBe(2)
  expect(first).toMatchObject({ token, scopes: expect.arrayContaining(['projects:read']) })
  expect(first).toMatchObject({ clientId: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

test('a token that core rejects is rejected, and not cached', async () => {
  const { authenticate } = createAuthenticator(core.url)
  for (const header of [undefined, '', 'Bearer', 'Basic x', `Bearer svc_v1_${'a'.repeat(32)}_abcd`, 'Bearer other']) {
    const refused = await authenticate(header, signal)
    expect(refused).toBeInstanceOf(Response)
    expect(refused).toMatchObject({ status: 401 })
  }
})

test('a request proceeds unverified where core does not answer, and the tools explain it', async () => {
  const broken = createServer((_request, response) => {
    response.statusCode = 503
    response.end('down for maintenance')
  })
  broken.listen(0, '127.0.0.1')
  await once(broken, 'listening')
  onTestFinished(() => void broken.close())
  for (const url of ['http://127.0.0.1:1', `http://127.0.0.1:${(broken.address() as AddressInfo).port}`]) {
    const passed = await createAuthenticator(url).authenticate('Bearer svc_v1_x', signal)
    expect(passed).toMatchObject({ token: 'svc_v1_x', scopes: [] })
  }
})
