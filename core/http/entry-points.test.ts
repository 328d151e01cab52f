import { resolve } from 'node:path'
import { connect } from 'node:net'
import { createTRPCClient, httpBatchLink, httpBatchStreamLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AppRouter } from '../router.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'

let app: TestApp
let token: string
let projectId: string
beforeAll(async () => {
  app = await createTestApp()
  const user = await createUser(app)
  token = await createTokenFor(app, { user })
  projectId = (await createProjectFor(app, { user })).id
})
afterAll(() => app[Symbol.asyncDispose]())

const json = { 'content-type': 'application/json' }
const post = (path: string, body: unknown) =>
  app.fetch(path, {
    method: 'POST',
    token,
    headers: json,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('/health answers ok', async () => {
  const response = await app.fetch('/health')
  expect([response.status, await response.json()]).toEqual([200, { ok: true }])
})

test('every response has a request id: a valid one of the caller, or a new one', async () => {
  const id = async (given?: string) =>
    (await app.fetch('/health', { headers: given ? { 'x-request-id': given } : {} })).headers.get('x-request-id')
  expect(await id('abc.DEF_1-2')).toBe('abc.DEF_1-2')
  expect(await id('a b')).toMatch(/^[\w.-]{20,}$/)
  expect(await id('x'.repeat(129))).not.toContain('x'.repeat(129))
  expect(await id()).not.toBe(await id())
})

test('an RPC query and a mutation work with a plain POST of JSON', async () => {
  const query = await post('/trpc/projects.getProject', { projectId })
  expect(query.status).toBe(200)
  expect(await query.json()).toMatchObject({ result: { data: { id: projectId } } })
  const mutation = await post('/trpc/projects.updateProject', { projectId, description: 'by hand' })
  expect(await mutation.json()).toMatchObject({ result: { data: { description: 'by hand' } } })
  const noBody = await app.fetch('/trpc/health', { method: 'POST' })
  expect(await noBody.json()).toEqual({ result: { data: { ok: true } } })
})

test('the batching and streaming clients of tRPC work, and an error in a batch affects only its own call', async () => {
  for (const link of [httpBatchLink, httpBatchStreamLink]) {
    const client = createTRPCClient<AppRouter>({
      links: [link({ url: `${app.url}/trpc`, headers: { authorization: `Bearer ${token}` } })],
    })
    const [good, bad] = await Promise.allSettled([
      client.projects.getProject.query({ projectId }),
      client.projects.getProject.query({ projectId: 'nope' }),
    ])
    expect(good).toMatchObject({ status: 'fulfilled', value: { id: projectId } })
    expect(bad).toMatchObject({ status: 'rejected', reason: { data: { code: 'NOT_FOUND', httpStatus: 404 } } })
  }
})

test("a failed RPC call carries tRPC's envelope and the specification's fields, alone and in a batch", async () => {
  const alone = await post('/trpc/projects.getProject', { projectId: 'nope' })
  const body = (await alone.json()) as { error: { code: number; data: object }; data: object }
  expect(alone.status).toBe(404)
  expect(body).toMatchObject({
    error: { message: expect.stringContaining('No such project'), code: -32004 },
    message: expect.stringContaining('No such project'),
    code: 'NOT_FOUND',
  })
  // Also in local mode, no answer contains a stack, which names folders of the server.
  expect(body.data).not.toHaveProperty('stack')
  expect(JSON.stringify(body)).not.toContain(resolve('.'))
  expect(body).toMatchObject({ data: body.error.data })

  const batch = await post('/trpc/projects.getProject,projects.getProject?batch=1', { 0: { projectId }, 1: {} })
  expect(batch.status).toBe(207)
  expect(await batch.json()).toMatchObject([
    { result: { data: { id: projectId } } },
    { error: { code: -32600 }, code: 'BAD_REQUEST', message: expect.stringMatching(/^projectId:/) },
  ])
})

test('a call without a credential, with a credential of another service, or with too few scopes is refused', async () => {
  const call = async (authorization?: string) => {
    const response = await app.fetch('/trpc/projects.getProjects', { headers: authorization ? { authorization } : {} })
    const { code, message } = (await response.json()) as { code: string; message: string }
    return [response.status, code, message]
  }
  expect(await call()).toEqual([
    401,
    'UNAUTHORIZED',
    'Not authenticated. Send an API token: `Authorization: Bearer svc_...`.',
  ])
  for (const odd of ['Basic abc', 'Bearer', 'Bearer ', 'Bearer other_token', 'Bearer\tx', `bearer${token}`]) {
    expect((await call(odd))[0], odd).toBe(401)
  }
  expect((await call(`bearer  ${token}`))[0]).toBe(200)
  expect((await call('Bearer svc_v1_nonsense'))[2]).toContain('unknown, expired or revoked')
  const narrow = await createTokenFor(app, { scopes: ['tests:read'] })
  expect(await call(`Bearer ${narrow}`)).toEqual([403, 'FORBIDDEN', expect.stringContaining('projects:read')])
})

test.each([
  ['POST', '/trpc/projects.getProject', '{"projectId":', json, 400, 'BAD_REQUEST'],
  ['POST', '/trpc/projects.getProject', '[1]', json, 400, 'BAD_REQUEST'],
  ['POST', '/trpc/projects.getProject', 'projectId=x', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  [
    'POST',
    '/trpc/projects.getProject',
    'x',
    { 'content-type': 'multipart/form-data; boundary=x' },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['POST', '/trpc/projects.updateProject', `{"x":"${'x'.repeat(1_100_000)}"}`, json, 413, 'PAYLOAD_TOO_LARGE'],
  ['GET', '/trpc/projects.deleteProject', undefined, {}, 405, 'METHOD_NOT_SUPPORTED'],
  ['GET', '/trpc/no.such', undefined, {}, 404, 'NOT_FOUND'],
  ['GET', '/trpc/__proto__.x', undefined, {}, 404, 'NOT_FOUND'],
  ['GET', '/trpc/%E0%A4%A', undefined, {}, 400, 'VALIDATION_ERROR'],
  ['GET', '/trpc/projects.getProject?input=%7B', undefined, {}, 400, 'BAD_REQUEST'],
  ['DELETE', '/trpc/health', undefined, {}, 405, 'METHOD_NOT_SUPPORTED'],
  ['POST', '/api/v1/projects/x/analyze', '{', json, 400, 'VALIDATION_ERROR'],
  ['POST', '/api/v1/projects/x/analyze', '{"branch":5}', json, 400, 'VALIDATION_ERROR'],
  ['POST', '/api/v1/projects/x/analyze', 'x', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['POST', '/api/v1/projects/x/analyze', `"${'x'.repeat(1_100_000)}"`, json, 413, 'PAYLOAD_TOO_LARGE'],
  ['DELETE', '/api/v1/projects', undefined, {}, 405, 'METHOD_NOT_ALLOWED'],
  ['GET', '/nowhere', undefined, {}, 404, 'NOT_FOUND'],
  ['GET', '/trpc', undefined, {}, 404, 'NOT_FOUND'],
])('%s %s with an invalid body or path gives a clear error', async (method, path, body, headers, status, code) => {
  const response = await app.fetch(path, {
    method,
    token,
    headers: headers as Record<string, string>,
    ...(body ? { body } : {}),
  })
  const answer = (await response.json()) as { code: string; message: string }
  expect([response.status, answer.code]).toEqual([status, code])
  expect(answer.message).not.toBe('')
  if (status === 405) expect(response.headers.get('allow')).toBeTruthy()
})

test('text that Postgres cannot store is refused everywhere', async () => {
  const nul = 'a\0b'
  const calls = [
    post('/trpc/projects.updateProject', { projectId, name: nul }),
    post('/trpc/projects.updateProject', { projectId: nul, name: 'x' }),
    post('/trpc/projects.updateProjectSettings', { projectId, settings: { testCommand: nul } }),
    post('/trpc/tokens.create', { name: nul, scopes: ['projects:read'] }),
    post('/trpc/tokens.revoke', { tokenId: nul }),
    post('/trpc/analysis.getAnalysis', { analysisId: nul }),
    app.fetch('/api/v1/projects/%00', { token }),
    app.fetch('/api/v1/projects?search=%00', { token }),
  ]
  for (const response of await Promise.all(calls)) {
    expect([response.url, response.status]).toEqual([response.url, 400])
  }
  const surrogate = await post('/trpc/projects.updateProject', `{"projectId":"${projectId}","name":"x\\ud800"}`)
  expect(surrogate.status).toBe(200)
})

test('analysis procedures accept bodies up to 8 MiB', async () => {
  const body = (size: number) => JSON.stringify({ projectId: 'nope', analysisOverride: 'x'.repeat(size) })
  expect((await post('/trpc/analysis.suggestTests', body(7_000_000))).status).toBe(400)
  expect((await post('/trpc/analysis.suggestTests', body(8_400_000))).status).toBe(413)
})

test('a client that sends an endless body is disconnected at the limit', async () => {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  socket.on('error', () => {}) // The server closes without having read everything: that is the point.
  socket.write(
    `POST /trpc/projects.updateProject HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  let answer = ''
  socket.on('data', (data) => (answer += data.toString()))
  const closed = new Promise((resolve) => socket.on('close', resolve))
  // Just beyond the limit, and the body never ends. A client that keeps writing may lose the response to a reset.
  socket.write(chunk.repeat(17))
  await closed
  expect(answer).toContain('413')
})

test.each(['http://[/health', 'http://', '*', 'http://example.com/health', '//[', '/trpc/[', '/a#b'])(
  'the request target %s is answered, and the server keeps running',
  async (target) => {
    const answer = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => {
        socket.write(
          `${target === '*' ? 'OPTIONS' : 'GET'} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        )
      })
      socket.on('data', (data) => (received += data.toString())).on('close', () => resolve(received))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /)
    expect((await app.fetch('/health')).status).toBe(200)
  },
)

test('HEAD and OPTIONS never give a 5xx', async () => {
  for (const path of ['/health', '/trpc/health', '/trpc/projects.getProjects', '/api/v1/projects']) {
    for (const method of ['HEAD', 'OPTIONS']) {
      expect((await app.fetch(path, { method })).status, `${method} ${path}`).toBeLessThan(500)
    }
  }
})

test('userEmail in an unexpected form is refused', async () => {
  for (const query of ['userEmail=a@b&userEmail=c@d', 'userEmail[]=a@b', 'userEmail=a@b']) {
    expect((await app.fetch(`/api/v1/projects?${query}`, { token })).status, query).toBeGreaterThanOrEqual(400)
  }
  expect((await post('/trpc/tokens.revoke', { tokenId: 'x', userEmail: ['a@b'] })).status).toBe(400)
})

test('every response has security headers, including errors', async () => {
  for (const path of ['/health', '/nowhere', '/trpc/no.such']) {
    const { headers } = await app.fetch(path)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-powered-by')).toBeNull()
  }
})

test('a defect gives a 500 with only the request id, and its cause is in the log', async () => {
  await using broken = await createTestApp()
  const good = await createTokenFor(broken)
  await broken.dataSource.query('ALTER TABLE projects RENAME TO elsewhere')
  const rest = await broken.fetch('/api/v1/projects', { token: good })
  expect(rest.status).toBe(500)
  expect(await rest.json()).toEqual({
    error: 'Internal Server Error',
    message: expect.stringContaining('log'),
    code: 'INTERNAL_ERROR',
    requestId: rest.headers.get('x-request-id'),
  })
  const rpc = await broken.fetch('/trpc/projects.getProjects', { token: good })
  const { message } = (await rpc.json()) as { message: string }
  expect([rpc.status, message]).toEqual([500, expect.not.stringContaining('elsewhere')])
  expect(broken.logLines.filter((line) => line.includes('does not exist'))).toHaveLength(2)
})

test('a broken connection of the pool is replaced, and the server keeps running', async () => {
  // Several in parallel, so that the pool has more connections than the one that ends the others.
  await Promise.all([1, 2, 3].map(() => app.dataSource.query('SELECT pg_sleep(0.1)')))
  const [{ ended }] = await app.dataSource.query(
    "SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'assay'",
  )
  expect(ended).toBeGreaterThanOrEqual(2)
  await expect.poll(() => app.logLines.join('')).toContain('a database connection broke')
  await expect.poll(() => app.fetch('/api/v1/projects', { token }).then((r) => r.status)).toBe(200)
})
