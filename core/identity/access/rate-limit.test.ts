import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createTRPCClient, httpBatchLink, httpBatchStreamLink, TRPCClientError } from '@trpc/client'
import Koa from 'koa'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { sha256 } from '../../base/crypto.ts'
import { createCounterStore } from '../limits/store.ts'
import type { AppRouter } from '../../router.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createSessionFor, createTokenFor, createUser } from '../../testing/factories.ts'
import { ensureOwner } from '../local-owner/local-owner.ts'
import { newToken } from '../tokens/token-format.ts'
import { createRequestLimit } from './rate-limit.ts'
import type { RequestState } from '../../http/request-state.ts'
import { request } from '../../http/request.ts'

const path = '/api/auth/get-session'
/** What a call may ask; expired rows are deleted at times of their own. */
const anyTable = /^(?!DELETE FROM \w+ WHERE expire).*(?:api_tokens|sessions|users|rate_limits)/s

/** Uses up points quickly with a batch of queries that need no credential. */
async function spend(app: TestApp, count: number, init: Parameters<TestApp['fetch']>[1] = {}): Promise<Response> {
  const names = (size: number) => Array.from({ length: size }, () => 'health').join(',')
  for (let left = count; left > 50; left -= 50) await app.fetch(`/trpc/${names(50)}?batch=1`, init)
  return app.fetch(`/trpc/${names(count % 50 || 50)}?batch=1`, init)
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const remaining = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'))

type Init = Parameters<TestApp['fetch']>[1]

/** Calls 20 at a time, and repeats calls that a busy machine rejects as overload, which do not count. */
async function allStatuses(app: TestApp, count: number, init: Init | (() => Init) = {}, to = path) {
  const statuses: Record<number, number> = {}
  let sent = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (sent++ < count) {
        const call = () => app.fetch(to, typeof init === 'function' ? init() : init)
        let response = await call()
        while (response.status === 503) response = await call()
        await response.text()
        statuses[response.status] = (statuses[response.status] ?? 0) + 1
      }
    }),
  )
  return statuses
}

test('the headers count down, and the 101st call of a minute is refused with Retry-After', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  for (const left of [99, 98, 97]) {
    const { headers } = await app.fetch(path)
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['100', String(left)])
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1_000 + 50)
    expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(Date.now() / 1_000 + 61)
    expect(headers.get('retry-after')).toBeNull()
  }
  expect(remaining(await spend(app, 97))).toBe(0)

  const refused = await app.fetch(path)
  expect(refused.status).toBe(429)
  const retryAfter = Number(refused.headers.get('retry-after'))
  expect(retryAfter).toBeGreaterThan(0)
  expect(retryAfter).toBeLessThanOrEqual(60)
  expect(refused.headers.get('x-ratelimit-limit')).toBe('100')
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
  expect(Math.abs(Number(refused.headers.get('x-ratelimit-reset')) - Date.now() / 1_000 - retryAfter)).toBeLessThan(3)
  expect(await refused.json()).toEqual({
    error: 'Too Many Requests',
    message: `At most 100 calls per minute. Try again in ${retryAfter} s.`,
    code: 'RATE_LIMITED',
    retryAfter,
  })
  expect((await app.fetch('/health')).status).toBe(200)
  expect((await app.fetch('/health')).headers.get('x-ratelimit-limit')).toBeNull()
  const preflight = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' }
  expect((await app.fetch(path, { method: 'OPTIONS', headers: preflight })).status).toBe(204)
  expect((await app.fetch('/nowhere')).status).toBe(429)
})

test('with RATE_LIMIT=off, calls are not counted and have no limit headers', async () => {
  await using app = await createTestApp()
  await spend(app, 150)
  const response = await app.fetch(path)
  expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([401, null])
  expect(await app.dataSource.query('SELECT 1 FROM rate_limits')).toEqual([])
})

test('of 200 parallel calls to two applications on one database, exactly 100 are accepted', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  await using other = await createTestApp({ rateLimit: 'standard', databaseUrl: app.config.databaseUrl })
  const [here, there] = await Promise.all([allStatuses(app, 100), allStatuses(other, 100)])
  expect((here[401] ?? 0) + (there[401] ?? 0)).toBe(100)
  expect((here[429] ?? 0) + (there[429] ?? 0)).toBe(100)
})

test('a session that was seen to be valid counts against its user, and any other against its address', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const user = await createUser(app)
  const { cookie } = await createSessionFor(app, user)
  const { cookie: late } = await createSessionFor(app, user)
  expect(remaining(await app.fetch(path, { cookie }))).toBe(99)
  expect(remaining(await app.fetch(path, { cookie }))).toBe(599)
  await spend(app, 100)
  expect(remaining(await app.fetch(path, { cookie }))).toBe(598)
  expect((await app.fetch(path, { cookie: late })).status, 'a session that may be a guess').toBe(429)

  await app.dataSource.query('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [user.id])
  expect((await app.fetch(path, { cookie })).status).toBe(401)
  expect((await app.fetch(path, { cookie })).status, 'a session that has ended').toBe(429)
})

test('a token has its own limit, independent of its address', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const token = await createTokenFor(app)
  await spend(app, 100)

  const first = await app.fetch('/api/v1/projects', { token })
  expect(first.status).toBe(200)
  expect([first.headers.get('x-ratelimit-limit'), remaining(first)]).toEqual(['1000', 999])
  expect(Number(first.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1_000 + 3_500)
  await spend(app, 999, { token })
  const refused = await app.fetch('/api/v1/projects', { token })
  expect(refused.status).toBe(429)
  expect((await refused.json()) as object).toMatchObject({
    message: expect.stringContaining('1000 calls per hour'),
    retryAfter: Number(refused.headers.get('retry-after')),
  })
  using queries = countQueries(anyTable)
  expect(await allStatuses(app, 20, { token }, '/api/v1/projects')).toEqual({ 429: 20 })
  expect(queries.texts(), 'of a token that is used up').toEqual([])
  const another = await createTokenFor(app)
  expect((await app.fetch('/api/v1/projects', { token: another })).status).toBe(200)
})

test('the owner of local mode, whose token all programs of the machine share, has more calls', async () => {
  await using app = await createTestApp({ rateLimit: 'standard', local: true })
  const user = await ensureOwner(app.dataSource.manager, new Date())
  const limitOf = async (token: string) =>
    (await app.fetch('/api/v1/projects', { token })).headers.get('x-ratelimit-limit')
  expect(await limitOf(await createTokenFor(app, { user }))).toBe('20000')
  expect(await limitOf(await createTokenFor(app))).toBe('1000')
})

test('concurrent calls share statements, and each gets the count after its own points', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const users = await Promise.all([createUser(app), createUser(app)])
  const tokens = await Promise.all(users.map((user) => createTokenFor(app, { user })))
  for (const token of tokens) await app.fetch('/api/v1/projects', { token })
  using lookups = countQueries(/FROM api_tokens/)
  using counts = countQueries(/INSERT INTO rate_limits/)
  const left = await Promise.all(
    tokens.map((token) =>
      Promise.all(Array.from({ length: 30 }, async () => remaining(await app.fetch('/api/v1/projects', { token })))),
    ),
  )
  const countdown = Array.from({ length: 30 }, (_, index) => 998 - index)
  expect(left.map((ofToken) => ofToken.toSorted((a, b) => b - a))).toEqual([countdown, countdown])
  expect(lookups.count()).toBeLessThan(60)
  expect(counts.count()).toBeLessThan(60)
})

test('a token that is revoked while others are looked up is refused at once', async () => {
  await using app = await createTestApp({})
  const user = await createUser(app)
  const [revoked, other] = [await createTokenFor(app, { user }), await createTokenFor(app, { user })]
  const flood = allStatuses(app, 60, { token: other }, '/api/v1/projects')
  expect((await app.fetch('/api/v1/projects', { token: revoked })).status).toBe(200)
  await app.dataSource.query('UPDATE api_tokens SET revoked_at = now() WHERE token_hash = $1', [sha256(revoked)])
  expect((await app.fetch('/api/v1/projects', { token: revoked })).status).toBe(401)
  expect(await flood).toEqual({ 200: 60 })
})

test('guessed tokens count against the address and end in 429 without a look-up; valid tokens keep working', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const token = await createTokenFor(app)
  await app.fetch('/api/v1/projects', { token })
  using selects = countQueries(/FROM api_tokens/)
  const statuses = await allStatuses(app, 300, () => ({ token: newToken() }), '/api/v1/projects')
  expect(statuses).toEqual({ 401: 100, 429: 200 })
  // Concurrent calls share a look-up.
  expect(selects.count()).toBeLessThanOrEqual(100)
  const refused = await app.fetch('/api/v1/projects', { token: newToken() })
  expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([429, '0'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  // The address has no points left for other calls either, including malformed tokens.
  expect((await app.fetch(path)).status).toBe(429)
  expect((await app.fetch('/api/v1/projects', { token: 'svc_v1_malformed' })).status).toBe(429)
  expect((await app.fetch('/api/v1/projects', { token })).status).toBe(200)
})

test('a revoked token counts as a guessed one', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const token = await createTokenFor(app)
  expect((await app.fetch('/api/v1/projects', { token })).status).toBe(200)
  await app.dataSource.query('UPDATE api_tokens SET revoked_at = now()')
  const statuses = await allStatuses(app, 250, { token }, '/api/v1/projects')
  expect(statuses).toEqual({ 401: expect.any(Number), 429: expect.any(Number) })
  expect(await allStatuses(app, 10, { token }, '/api/v1/projects')).toEqual({ 429: 10 })
})

test('an address over its limit causes no database call', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const { cookie } = await createSessionFor(app)
  await spend(app, 100)
  using queries = countQueries(anyTable)
  await app.fetch(path, { token: await createTokenFor(app) })
  const before = queries.count()
  expect(before).toBeGreaterThan(2)
  expect(await allStatuses(app, 50, { cookie })).toEqual({ 429: 50 })
  expect(await allStatuses(app, 50, { token: 'svc_v1_malformed' })).toEqual({ 429: 50 })
  expect(queries.count()).toBe(before)
})

test('/health causes no database call, whatever the credential', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const token = await createTokenFor(app)
  using queries = countQueries(anyTable)
  await allStatuses(app, 5, { token: newToken() }, '/health')
  await allStatuses(app, 5, { token }, '/health')
  expect(queries.count()).toBe(0)
})

test('unknown paths, refused methods and targets, and the documentation count against the address', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const token = await createTokenFor(app)
  let left = remaining(await app.fetch(path))
  const requests: [string, Parameters<TestApp['fetch']>[1], number][] = [
    ['/nowhere', {}, 404],
    ['/api/v1/nothing', { token }, 404],
    ['/api/v1/projects', { token, method: 'DELETE' }, 405],
    ['/health//', {}, 400],
    ['/docs', {}, 200],
    ['/api/openapi.json', {}, 200],
    ['/webhooks/code_host', { method: 'POST' }, 404],
    ['/view/not-a-link/index.html', {}, 404],
  ]
  for (const [target, init, status] of requests) {
    const response = await app.fetch(target, init)
    left--
    expect([target, response.status, remaining(response)]).toEqual([target, status, left])
  }
  await spend(app, left)
  for (const [target, init] of requests) expect((await app.fetch(target, init)).status).toBe(429)
})

test('each call of a batch counts, and a batch over the limit is refused as a whole', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  expect(remaining(await spend(app, 30))).toBe(70)
  expect(remaining(await app.fetch('/trpc/health'))).toBe(69)
  expect(remaining(await app.fetch('/trpc/health,health'))).toBe(68)
  await spend(app, 50)
  const refused = await spend(app, 20)
  expect(refused.status).toBe(429)
  const answers = (await refused.json()) as unknown[]
  expect(answers).toHaveLength(20)
  expect(answers[7]).toMatchObject({
    error: { data: { code: 'RATE_LIMITED', httpStatus: 429 } },
    code: 'RATE_LIMITED',
    data: { retryAfter: Number(refused.headers.get('retry-after')) },
  })
})

test.each([['httpBatchLink', httpBatchLink] as const, ['httpBatchStreamLink', httpBatchStreamLink] as const])(
  'the client with %s gets status 429, the code and retryAfter',
  async (_, link) => {
    await using app = await createTestApp({ rateLimit: 'standard' })
    await spend(app, 100)
    const responses: Response[] = []
    const client = createTRPCClient<AppRouter>({
      links: [
        link({
          url: `${app.url}/trpc`,
          fetch: async (url, init) => {
            const response = await fetch(url, init)
            responses.push(response)
            return response
          },
        }),
      ],
    })
    const results = await Promise.allSettled([
      client.health.query(),
      client.projects.getProject.query({ projectId: 'x' }),
    ])
    expect(responses.map(({ status }) => status)).toEqual([429])
    const retryAfter = Number(responses[0]?.headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThan(0)
    for (const result of results) {
      const reason: unknown = result.status === 'rejected' && result.reason
      expect(reason).toBeInstanceOf(TRPCClientError)
      expect(reason).toMatchObject({ data: { code: 'RATE_LIMITED', httpStatus: 429, retryAfter } })
    }
  },
)

test('with by-type, queries and mutations have separate limits, in batches too', async () => {
  await using app = await createTestApp({ rateLimit: 'by-type' })
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const json = { 'content-type': 'application/json' }
  const post = (procedures: string[], body: unknown = { projectId }) =>
    app.fetch(`/trpc/${procedures.join(',')}${procedures.length > 1 ? '?batch=1' : ''}`, {
      method: 'POST',
      token,
      headers: json,
      body: JSON.stringify(procedures.length > 1 ? Object.fromEntries(procedures.map((_, i) => [i, body])) : body),
    })
  const left = (response: Response) => [response.headers.get('x-ratelimit-limit'), remaining(response)]

  expect(left(await post(['projects.getProject']))).toEqual(['100', 99])
  expect(left(await post(['projects.updateProject']))).toEqual(['20', 19])
  expect(left(await app.fetch('/api/v1/projects', { token }))).toEqual(['100', 98])
  const batch = await post(['projects.updateProject', 'projects.updateProject', 'no.such'])
  expect(left(batch)).toEqual(['20', 16])
  expect((await post(['projects.getProject', 'projects.updateProject'])).status, 'kinds do not mix').toBe(400)
  expect(left(await app.fetch('/api/v1/projects', { token }))).toEqual(['100', 97])

  for (let i = 0; i < 16; i++) expect((await post(['projects.updateProject'])).status).toBe(200)
  const refused = await post(['projects.updateProject'])
  expect([refused.status, ...left(refused)]).toEqual([429, '20', 0])
  expect((await post(['projects.getProject'])).status).toBe(200)
  // The mixed batch took one point of the address, because it was refused before its token was read.
  expect(left(await app.fetch('/api/auth/sign-out', { method: 'POST' }))).toEqual(['20', 18])
})

test('with by-type, inbound deliveries have a separate limit', async () => {
  await using app = await createTestApp()
  const store = createCounterStore(app.dataSource, app.services.log)
  const { withinLimit } = createRequestLimit({ ...app.config, rateLimit: 'by-type' }, store)
  const koa = new Koa<RequestState>().use(request(app.services))
  const client = { ipAddress: '192.0.2.1', userAgent: null }
  koa.use(async (ctx) => {
    await withinLimit(ctx, client, { kind: 'webhooks', count: 1 }, async () => ({ actor: null }))
    ctx.body = {}
  })
  const server = koa.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const statuses = await Promise.all(
    Array.from({ length: 12 }, () => fetch(`http://127.0.0.1:${port}`).then((r) => r.status)),
  )
  server.close()
  expect(statuses.toSorted()).toEqual([...Array<number>(10).fill(200), 429, 429])
})

test('without a proxy, X-Forwarded-For does not change the counted address', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  await spend(app, 100)
  for (const claimed of ['198.51.100.1', '::1', '2001:db8::1, 198.51.100.2']) {
    expect((await app.fetch(path, from(claimed))).status, claimed).toBe(429)
  }
})

test('behind one proxy, only the last address counts, in canonical form, and IPv6 by its /64', async () => {
  await using app = await createTestApp({ rateLimit: 'standard', trustProxy: 1 })
  await spend(app, 100, from('198.51.100.7'))
  const refused = [
    '1.2.3.4, 198.51.100.7',
    '::ffff:198.51.100.7',
    '::ffff:c633:6407',
    '198.51.100.7:4711',
    'x,198.51.100.7',
  ]
  for (const spelling of refused) expect((await app.fetch(path, from(spelling))).status, spelling).toBe(429)
  for (const other of ['198.51.100.7, 198.51.100.8', '198.51.100.9']) {
    expect((await app.fetch(path, from(other))).status, other).toBe(401)
  }

  await spend(app, 100, from('2001:db8:0:1::1'))
  for (const same of ['2001:0DB8:0:1:ffff::', '[2001:db8:0:1::2]:443', '2001:db8:0:1:a:b:c:d']) {
    expect((await app.fetch(path, from(same))).status, same).toBe(429)
  }
  expect((await app.fetch(path, from('2001:db8:0:2::1'))).status).toBe(401)
})

test('while the table is unavailable, calls are counted in memory without a 5xx, and the table is used again later', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  await app.dataSource.query('ALTER TABLE rate_limits RENAME TO elsewhere')
  expect(await allStatuses(app, 150)).toEqual({ 401: 100, 429: 50 })
  expect(app.logLines.filter((line) => line.includes('limits cannot be counted'))).toHaveLength(1)
  await app.dataSource.query('ALTER TABLE elsewhere RENAME TO rate_limits')
  await expect.poll(async () => (await app.fetch(path)).status, { timeout: 5_000 }).toBe(401)
  expect(await app.dataSource.query('SELECT points FROM rate_limits')).toEqual([{ points: 1 }])
})

test('a broken connection does not fail a call', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  await Promise.all([1, 2, 3].map(() => app.dataSource.query('SELECT pg_sleep(0.1)')))
  const calls = allStatuses(app, 80, { token: 'svc_v1_malformed' })
  await app.dataSource.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'assay'",
  )
  expect(await calls).toEqual({ 401: 80 })
})

/** Counts the statements on these tables since the call. */
function countQueries(pattern: RegExp): Disposable & { count: () => number; texts: () => string[] } {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  const text = (query: unknown) => (typeof query === 'object' && query !== null && 'text' in query ? query.text : query)
  const texts = () => spy.mock.calls.map(([query]) => String(text(query))).filter((query) => pattern.test(query))
  return {
    texts,
    count: () => texts().length,
    [Symbol.dispose]: () => spy.mockRestore(),
  }
}
