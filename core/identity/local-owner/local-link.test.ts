import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { makeSignInLink } from './local-link.ts'

let app: TestApp
let now = new Date('2026-01-05T10:00:00.000Z')
beforeAll(async () => {
  app = await createTestApp({}, { now: () => now })
})
afterAll(() => app[Symbol.asyncDispose]())

const newLink = () => makeSignInLink(app.dataSource.manager, app.config.baseUrl, now)
const open = (link: string, init: RequestInit = {}) => fetch(link, { redirect: 'manual', ...init })
const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''

test('a link signs the local owner in once', async () => {
  const link = await newLink()
  const response = await open(link)
  expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
  const session = await app.fetch('/api/auth/get-session', { cookie: cookieOf(response) })
  expect(await session.json()).toMatchObject({ user: { email: 'owner@localhost' } })

  const again = await open(link)
  expect([again.status, again.headers.getSetCookie()]).toEqual([400, []])
  expect(await again.text()).toContain('<code>npm run sign-in-link</code>')
})

test('of ten parallel uses, one gets a session', async () => {
  const link = await newLink()
  const responses = await Promise.all(Array.from({ length: 10 }, () => open(link)))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([303, ...Array.from({ length: 9 }, () => 400)])
  expect(responses.flatMap(({ headers }) => headers.getSetCookie())).toHaveLength(1)
})

test('a HEAD request or link preview does not use up the link', async () => {
  const link = await newLink()
  expect((await open(link, { method: 'HEAD' })).headers.getSetCookie()).toEqual([])
  for (const headers of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }, { 'x-moz': 'prefetch' }]) {
    const ahead = await open(link, { headers })
    expect([ahead.status, ahead.headers.getSetCookie()]).toEqual([503, []])
  }
  expect((await open(link)).status).toBe(303)
})

test('a link expires after ten minutes', async () => {
  const link = await newLink()
  now = new Date(now.getTime() + 600_000)
  expect((await open(link)).status).toBe(400)
})

test('a missing, wrong, truncated or repeated token does not sign in', async () => {
  const link = await newLink()
  const [path, token = ''] = link.split('token=')
  for (const query of ['', '?token=', '?token=x', `?token=${token.slice(1)}`, `?token=${token}&token=${token}`]) {
    const response = await open(`${path?.replace('?', '')}${query}`)
    expect([query, response.status, response.headers.getSetCookie()]).toEqual([query, 400, []])
  }
  expect((await open(link)).status).toBe(303)
})

test('a signed-in user gets a new session, and a used link says that the user is already signed in', async () => {
  const link = await newLink()
  const cookie = cookieOf(await open(await newLink()))
  const response = await open(link, { headers: { cookie } })
  expect(response.status).toBe(303)
  expect(cookieOf(response)).not.toBe(cookie)
  expect(await (await open(link, { headers: { cookie } })).text()).toContain('You are already signed in')
})

test('the token is stored only as a hash, and is not logged', async () => {
  const link = await newLink()
  const [, token = ''] = link.split('token=')
  const rows = await app.dataSource.query('SELECT * FROM one_time_tokens')
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(token)
  await open(link)
  expect(app.logLines.join('')).not.toContain(token)
})

test('successful and failed sign-ins by link are in the audit log', async () => {
  const link = await newLink()
  await open(link)
  await open(link)
  const rows = await app.dataSource.query(
    'SELECT action, user_id IS NULL AS nobody, metadata FROM audit_logs ORDER BY sequence DESC LIMIT 2',
  )
  expect(rows).toEqual([
    { action: 'failed_auth', nobody: true, metadata: { method: 'local_link' } },
    { action: 'login', nobody: false, metadata: { method: 'local_link', sessionId: expect.any(String) } },
  ])
})

test('links work only in local mode', async () => {
  await using production = await createTestApp({ production: true, local: false })
  const link = await makeSignInLink(production.dataSource.manager, production.url, new Date())
  const response = await open(link)
  expect([response.status, response.headers.getSetCookie()]).toEqual([404, []])
})

test('a link opened at another loopback name redirects to BASE_URL', async () => {
  const port = new URL(app.url).port
  await using named = await createTestApp({ baseUrl: `http://localhost:1` })
  named.config.baseUrl = `http://localhost:${new URL(named.url).port}`
  const link = await makeSignInLink(named.dataSource.manager, named.url, new Date())
  const moved = await open(link)
  expect([moved.status, moved.headers.get('location')]).toEqual([303, link.replace('127.0.0.1', 'localhost')])
  expect((await open(moved.headers.get('location') ?? '')).status).toBe(303)

  named.config.baseUrl = `http://localhost:${port}`
  const elsewhere = await open(link)
  const text = await elsewhere.text()
  expect([elsewhere.status, elsewhere.headers.getSetCookie()]).toEqual([400, []])
  for (const part of [new URL(named.url).host, `localhost:${port}`, 'BASE_URL']) expect(text).toContain(part)
  expect(text).not.toContain(link.split('token=')[1])
})
