import { createTRPCClient, httpBatchStreamLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AppRouter } from '../router.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createSessionFor } from '../testing/factories.ts'

const dashboard = 'http://localhost:5173'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ corsOrigins: [dashboard, 'https://app.example.com'] })
})
afterAll(() => app[Symbol.asyncDispose]())

const corsHeaders = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('access-control-')))

const preflight = (on: TestApp, path: string, origin: string, headers = {}) =>
  on.fetch(path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST', ...headers } })

test('a page of a trusted origin may read responses with credentials, including errors', async () => {
  const { cookie } = await createSessionFor(app)
  const answers = [
    await app.fetch('/health', { headers: { origin: dashboard } }),
    await app.fetch('/api/auth/get-session', { cookie, headers: { origin: dashboard } }),
    await app.fetch('/api/auth/get-session', { headers: { origin: dashboard } }),
    await app.fetch('/nowhere', { headers: { origin: dashboard } }),
    await app.fetch('/health//', { headers: { origin: dashboard } }),
    await app.fetch('/trpc/health', { headers: { origin: dashboard } }),
    await app.fetch('/trpc/projects.getProjects', { headers: { origin: dashboard } }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404, 400, 200, 401])
  for (const answer of answers) {
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': dashboard,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers':
        'X-Request-Id,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,Retry-After',
    })
    expect(answer.headers.get('vary')).toContain('Origin')
  }
})

test('the origin of BASE_URL is trusted', async () => {
  const response = await app.fetch('/health', { headers: { origin: app.url } })
  expect(response.headers.get('access-control-allow-origin')).toBe(app.url)
})

test.each([
  ['null', 'a sandboxed page'],
  ['http://evil.example', 'a foreign origin'],
  ['https://app.example.com.evil.example', 'a suffix'],
  ['https://evilapp.example.com', 'a prefix'],
  ['https://evil.example/https://app.example.com', 'a trusted origin in the path'],
  ['https://app.example.com,https://evil.example', 'a list'],
  ['https://x.app.example.com', 'a subdomain'],
  ['https://example.com', 'the parent domain'],
  ['http://app.example.com', 'another scheme'],
  ['https://app.example.com:8443', 'another port'],
  ['https://app.example.com:443', 'the default port'],
  ['http://localhost:51730', 'more digits'],
  ['http://localhost', 'no port'],
  ['https://APP.example.com', 'upper case'],
  ['HTTPS://app.example.com', 'upper case in the scheme'],
  ['https://app.example.com/', 'a trailing slash'],
  ['https://app.example.com.', 'a trailing dot'],
  ['https://user@app.example.com', 'a user name'],
  ['*', 'a wildcard'],
  ['', 'an empty origin'],
])('the origin "%s" (%s) gets no CORS header, on calls and preflights', async (origin) => {
  for (const path of ['/health', '/trpc/health', '/nowhere']) {
    const call = await app.fetch(path, { headers: { origin } })
    expect(corsHeaders(call)).toEqual({})
    expect(call.headers.get('vary')).toContain('Origin')
    const asked = await preflight(app, path, origin)
    expect(corsHeaders(asked)).toEqual({})
  }
})

test('a preflight lists the allowed headers and methods and their lifetime, for any path', async () => {
  for (const path of ['/api/auth/sign-out', '/trpc/projects.createProject', '/api/v1/projects', '/nowhere']) {
    const response = await preflight(app, path, 'https://app.example.com', {
      'access-control-request-headers': 'content-type, x-evil',
    })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(corsHeaders(response)).toEqual({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET,POST,PUT,DELETE,OPTIONS',
      'access-control-allow-headers':
        'Authorization,Content-Type,Idempotency-Key,Last-Event-ID,X-Request-Id,trpc-accept',
      'access-control-max-age': '86400',
    })
  }
})

test('every header that tRPC clients send is allowed', async () => {
  const sent = new Set<string>()
  const client = createTRPCClient<AppRouter>({
    links: [
      httpBatchStreamLink({
        url: `${app.url}/trpc`,
        methodOverride: 'POST',
        fetch: (url, init) => {
          for (const [name] of new Headers(init?.headers)) sent.add(name)
          return fetch(url, init)
        },
      }),
    ],
  })
  await client.health.query()
  const response = await preflight(app, '/trpc/health', dashboard)
  const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase().split(',')
  expect(sent.size).toBeGreaterThan(0)
  expect(allowed).toEqual(expect.arrayContaining([...sent]))
})

test('a preflight needs no database and no credential, and the page can read a defect', async () => {
  await using broken = await createTestApp({ corsOrigins: [dashboard] })
  const { cookie } = await createSessionFor(broken)
  await broken.dataSource.query('ALTER TABLE sessions RENAME TO elsewhere')
  const defect = await broken.fetch('/api/auth/get-session', { cookie, headers: { origin: dashboard } })
  expect([defect.status, defect.headers.get('access-control-allow-origin')]).toEqual([500, dashboard])
  for (const origin of [dashboard, 'http://evil.example']) {
    expect((await preflight(broken, '/api/auth/get-session', origin, { cookie })).status).toBe(204)
    expect((await preflight(broken, '/trpc/projects.getProjects', origin, { cookie })).status).toBe(204)
  }
  const token = { authorization: 'Bearer svc_v1_nonsense' }
  expect((await preflight(broken, '/trpc/projects.getProjects', dashboard, token)).status).toBe(204)
})

test('a page may read a rate limit error and its Retry-After', async () => {
  await using limited = await createTestApp({ corsOrigins: [dashboard], rateLimit: 'standard' })
  const call = (path: string) => limited.fetch(path, { headers: { origin: dashboard } })
  await Promise.all(Array.from({ length: 100 }, () => call('/api/auth/get-session')))
  for (const path of ['/api/auth/get-session', '/trpc/projects.getProjects']) {
    const refused = await call(path)
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([429, dashboard])
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await preflight(limited, '/api/auth/get-session', dashboard)).status).toBe(204)
})
