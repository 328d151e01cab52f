import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createSessionFor, createTokenFor, createUser } from '../testing/factories.ts'

let app: TestApp
let cookie: string
let token: string
let projectId: string
beforeAll(async () => {
  app = await createTestApp({ corsOrigins: ['https://app.example.com'] })
  const user = await createUser(app)
  cookie = (await createSessionFor(app, user)).cookie
  token = await createTokenFor(app, { user })
  projectId = (await createProjectFor(app, { user, description: 'unchanged' })).id
})
afterAll(() => app[Symbol.asyncDispose]())

type Credential = { cookie?: string; token?: string }

const post = (path: string, body: unknown, headers: Record<string, string>, credential: Credential = { cookie }) =>
  app.fetch(path, {
    method: 'POST',
    ...credential,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const change = (headers: Record<string, string>, credential?: Credential) =>
  post('/trpc/projects.updateProject', { projectId, description: 'changed' }, headers, credential)

const description = async () => {
  const [row] = await app.dataSource.query('SELECT description FROM projects WHERE id = $1', [projectId])
  return row.description as string
}

test.each([
  ['a foreign origin', { origin: 'https://evil.example' }],
  ['the origin null', { origin: 'null' }],
  ['an empty origin', { origin: '' }],
  ['a trusted origin with a suffix', { origin: 'https://app.example.com.evil.example' }],
  [
    'a foreign origin with sec-fetch-site: same-origin',
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ],
  ['no origin from another site', { 'sec-fetch-site': 'cross-site' }],
  ['no origin from the same site', { 'sec-fetch-site': 'same-site' }],
  ['no origin and an unknown sec-fetch-site', { 'sec-fetch-site': 'other' }],
])('a page with %s cannot change anything with a visitor’s cookie, over RPC or REST', async (_name, headers) => {
  expect((await change(headers)).status).toBe(403)
  expect(await description()).toBe('unchanged')
  expect((await post('/trpc/projects.getProject', { projectId }, headers)).status).toBe(403)
  expect((await post('/api/auth/sign-out', {}, headers)).status).toBe(403)
  expect((await app.fetch('/api/auth/get-session', { cookie })).status).toBe(200)
})

test.each([
  ['our own origin', () => ({ origin: app.url })],
  ['a trusted origin', () => ({ origin: 'https://app.example.com' })],
  ['a trusted origin of another site', () => ({ origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' })],
  ['no origin from the same origin', () => ({ 'sec-fetch-site': 'same-origin' })],
  ['no origin from the address bar', () => ({ 'sec-fetch-site': 'none' })],
  ['neither header, like programs', () => ({})],
])('a call with %s is accepted', async (_name, headers) => {
  expect((await change(headers())).status).toBe(200)
  expect((await post('/trpc/projects.getProject', { projectId }, headers())).status).toBe(200)
  await app.dataSource.query("UPDATE projects SET description = 'unchanged'")
})

test('the refusal names the origin of the page and the address of Assay', async () => {
  const response = await change({ origin: 'http://127.0.0.1:3999' })
  const { message, code } = (await response.json()) as { message: string; code: string }
  expect(code).toBe('FORBIDDEN')
  expect(message).toContain('http://127.0.0.1:3999')
  expect(message).toContain(app.url)
})

test('a long origin is shortened in the refusal', async () => {
  const response = await change({ origin: `https://${'x'.repeat(900)}` })
  expect(response.status).toBe(403)
  expect((await response.text()).length).toBeLessThan(3_000)
})

test('reads are not affected, also over RPC', async () => {
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const input = encodeURIComponent(JSON.stringify({ projectId }))
  for (const path of ['/api/auth/get-session', '/api/v1/projects', `/trpc/projects.getProject?input=${input}`]) {
    expect((await app.fetch(path, { cookie, headers })).status, path).toBe(200)
  }
})

test('a call with a token is accepted from any origin', async () => {
  for (const credential of [{ token }, { token, cookie }]) {
    expect((await change({ origin: 'https://evil.example' }, credential)).status).toBe(200)
  }
  await app.dataSource.query("UPDATE projects SET description = 'unchanged'")
})

test('another Authorization scheme beside the cookie does not bypass the check', async () => {
  for (const authorization of ['Bearer other', 'Basic abc', 'Bearer ']) {
    expect((await change({ origin: 'https://evil.example', authorization })).status).toBe(403)
  }
})

test('a call without a cookie is refused for pages of other origins too, so that they cannot sign a visitor in', async () => {
  const response = await post('/api/auth/sign-out', {}, { origin: 'https://evil.example' }, {})
  expect(response.status).toBe(403)
})

test('a mutation by GET is refused, alone, in a batch and in a stream', async () => {
  const input = (value: unknown) => encodeURIComponent(JSON.stringify(value))
  const change = { projectId, description: 'changed' }
  const alone = await app.fetch(`/trpc/projects.updateProject?input=${input(change)}`, { cookie })
  expect(alone.status).toBe(405)
  const name = 'projects.updateProject,projects.updateProject'
  const batch = `/trpc/${name}?batch=1&input=${input({ 0: change, 1: change })}`
  const answers = await app.fetch(batch, { cookie })
  expect(await answers.json()).toMatchObject([{ code: 'METHOD_NOT_SUPPORTED' }, { code: 'METHOD_NOT_SUPPORTED' }])
  const stream = await app.fetch(batch, { cookie, headers: { 'trpc-accept': 'application/jsonl' } })
  expect(await stream.text()).toContain('METHOD_NOT_SUPPORTED')
  for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    await app.fetch(`/trpc/projects.updateProject?input=${input(change)}`, { method, cookie })
  }
  const override = { 'x-http-method-override': 'POST', 'x-method-override': 'POST' }
  await app.fetch(`/trpc/projects.updateProject?input=${input(change)}&_method=POST`, { cookie, headers: override })
  expect(await description()).toBe('unchanged')
})

test('a form of another origin is refused before its content type is checked', async () => {
  const response = await app.fetch('/trpc/projects.updateProject', {
    method: 'POST',
    cookie,
    headers: { origin: 'https://evil.example', 'content-type': 'text/plain' },
    body: JSON.stringify({ projectId, description: 'changed' }),
  })
  expect([403, 415]).toContain(response.status)
  expect(await description()).toBe('unchanged')
})
