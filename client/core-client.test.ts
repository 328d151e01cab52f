import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { type CoreClientOptions, type CoreFailure, coreFailure, createCoreClient } from './core-client.ts'

let core: TestApp

beforeAll(async () => {
  core = await createTestApp()
})
afterAll(() => core[Symbol.asyncDispose]())

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function failureOf(options: Partial<CoreClientOptions>): Promise<CoreFailure | undefined> {
  const client = createCoreClient({ baseUrl: core.url, token: undefined, requestId: 'test', ...options })
  return client.projects.getProject.query({ projectId: 'x' }).then(
    () => undefined,
    (error: unknown) => coreFailure(error),
  )
}

test('a refusal keeps the code and the message of core', async () => {
  expect(await failureOf({})).toMatchObject({ kind: 'refused', code: 'UNAUTHORIZED', status: 401 })
  const token = await createTokenFor(core)
  expect(await failureOf({ token })).toMatchObject({ kind: 'refused', code: 'NOT_FOUND', status: 404 })
})

test('a refusal keeps the hint of core', async () => {
  const token = await createTokenFor(core)
  const procedures = ['projects.getProjects']
  expect(await failureOf({ token })).toMatchObject({ hint: { kind: 'names', procedures, fields: [] } })
  const scope = 'projects:read'
  const confined = await createTokenFor(core, { scopes: ['tests:read'] })
  expect(await failureOf({ token: confined })).toMatchObject({
    code: 'FORBIDDEN',
    hint: { kind: 'missing_scope', scope },
  })
  const user = await createUser(core)
  const { id: projectId } = await createProjectFor(core, { user })
  const other = { token: await createTokenFor(core, { user, projectId }), projectId: '2'.repeat(26) }
  expect(await failureOf(other)).toMatchObject({ code: 'FORBIDDEN', hint: { kind: 'other_project' } })
})

test('distinguishes no response, a foreign response, a late response and a cancelled call', async () => {
  expect(await failureOf({ baseUrl: 'http://127.0.0.1:1' })).toEqual({ kind: 'unreachable' })
  expect(await failureOf({ baseUrl: await serve((_, response) => response.end('<html>')) })).toEqual({
    kind: 'not_core',
  })
  expect(await failureOf({ baseUrl: await serve((_, response) => response.end('{}')) })).toEqual({ kind: 'not_core' })
  const silent = await serve(() => {})
  expect(await failureOf({ baseUrl: silent, timeoutMs: 50 })).toEqual({ kind: 'timeout' })
  expect(await failureOf({ baseUrl: silent, requestTimeoutMs: 50 })).toEqual({ kind: 'timeout' })
  expect(await failureOf({ baseUrl: silent, signal: AbortSignal.timeout(50) })).toEqual({ kind: 'timeout' })
  const cancelled = new AbortController()
  setTimeout(() => cancelled.abort(), 50)
  expect(await failureOf({ baseUrl: silent, signal: cancelled.signal })).toEqual({ kind: 'cancelled' })
  const broken = await serve((request) => request.socket.destroy())
  expect(await failureOf({ baseUrl: broken })).toEqual({ kind: 'unreachable' })
})

test('requestTimeoutMs limits each call, not all of them together', async () => {
  let calls = 0
  const slow = await serve((_, response) => {
    calls += 1
    setTimeout(() => response.end('{}'), 60)
  })
  const client = createCoreClient({
    baseUrl: slow,
    token: undefined,
    requestId: 'test',
    requestTimeoutMs: 5_000,
    timeoutMs: 50,
  })
  for (const _ of [1, 2]) {
    await client.health.query().catch((error: unknown) => expect(coreFailure(error)).toEqual({ kind: 'not_core' }))
  }
  expect(calls).toBe(2)
})

test('does not classify an error that is not from core', () => {
  expect(coreFailure(new Error('a defect'))).toBeUndefined()
})

test('does not follow a redirect', async () => {
  let bodies = 0
  const other = await serve((_, response) => {
    bodies += 1
    response.end('{"result":{"data":{}}}')
  })
  const address = await serve((request, response) =>
    response.writeHead(307, { location: `${other}${request.url}` }).end(),
  )
  expect(await failureOf({ baseUrl: address })).toEqual({ kind: 'redirects' })
  expect(bodies).toBe(0)
})

test('aborts an endless response', async () => {
  const endless = await serve((_, response) => {
    const text = ' '.repeat(1_048_576)
    const more = () => {
      while (response.write(text));
    }
    response.on('drain', more)
    more()
  })
  expect(await failureOf({ baseUrl: endless })).toEqual({ kind: 'endless' })
})
