import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { createRouter, restRoutes } from '../routes.ts'
import { createTestApp } from '../testing/app.ts'
import { createOpenApiDocument } from './document.ts'

const document = createOpenApiDocument(restRoutes())
const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  [item.get, item.post].flatMap((operation) => (operation ? [{ path, operation }] : [])),
)

const unused = () => {
  throw new Error('Nothing is called here.')
}

test('every route that is no page is in the document', () => {
  const pages =
    /^\/(?:docs.*|view\/.*|sign-.*|forgot-password|change-password|reset-password|verify-email.*|link\/.*|assets\/.*|projects.*|organizations.*|settings.*|system.*)?$/
  const routes = createRouter(unused, unused, () => {})
    .stack.map((layer) => `${layer.methods.find((method) => method !== 'HEAD')} ${String(layer.path)}`)
    .filter((route) => !pages.test(route.split(' ')[1] ?? ''))
  expect(routes).toContain('GET /api/v1/projects/:id')
  expect(new Set(restRoutes().map(({ method, path }) => `${method} ${path}`))).toEqual(new Set(routes))
})

test('the document is valid OpenAPI 3.1, and each operation has a name of its own', async () => {
  expect(document.openapi).toMatch(/^3\.1\./)
  expect(await new Validator().validate(structuredClone({ ...document }))).toEqual({ valid: true })
  const names = operations.map(({ operation }) => operation.operationId)
  expect(names).toHaveLength(new Set(names).size)
})

test('the document says what a route takes, by the same schemas that it reads with', () => {
  const list = document.paths?.['/api/v1/projects']?.get
  expect(list?.security).toEqual([{ token: ['projects:read'] }, { session: [] }])
  expect(list?.parameters).toContainEqual({
    in: 'query',
    name: 'pageSize',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  })
  const change = document.paths?.['/api/auth/change-password']?.post
  expect(change?.security).toEqual([{ session: [] }])
  expect(change?.requestBody).toMatchObject({
    required: true,
    content: { 'application/json': { schema: { required: ['currentPassword', 'newPassword'] } } },
  })
  for (const { path, operation } of operations) {
    const named = (operation.parameters ?? []).filter((one) => 'in' in one && one.in === 'path')
    expect(named, path).toHaveLength(path.match(/\{\w+\}/g)?.length ?? 0)
  }
})

test('the document needs no credential, counts against the limits, and is sent again only when it has changed', async () => {
  await using app = await createTestApp({ rateLimit: 'standard' })
  const first = await app.fetch('/api/openapi.json')
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await first.json()).toEqual(JSON.parse(JSON.stringify(document)))
  expect(first.headers.get('x-ratelimit-limit')).toBe('100')
  const etag = first.headers.get('etag') ?? ''
  // As browsers reload; without it Node's fetch asks for a copy that no cache has.
  const reload = { 'cache-control': 'max-age=0' }
  const again = await app.fetch('/api/openapi.json', { headers: { 'if-none-match': etag, ...reload } })
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
  const other = await app.fetch('/api/openapi.json', { headers: { 'if-none-match': '"another"', ...reload } })
  expect(other.status).toBe(200)
  expect((await app.fetch('/api/openapi.json', { method: 'POST' })).status).toBe(405)
})

test('the reference page loads exactly what is served for it, for good, and no other file of the package', async () => {
  await using app = await createTestApp()
  const response = await app.fetch('/docs')
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).not.toContain('unsafe')
  const text = await response.text()
  const loaded = [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path ?? '')
  expect(loaded).toHaveLength(3)
  for (const path of loaded) {
    const file = await app.fetch(path)
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect(file.headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100)
    const head = await app.fetch(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  }
  const folder = loaded[0]?.replace(/[^/]+$/, '') ?? ''
  for (const path of [
    'package.json',
    'index.html',
    'oauth2-redirect.html',
    'swagger-ui.css.map',
    '',
    '..%2fpackage.json',
  ]) {
    expect((await app.fetch(folder + path)).status, path).toBeGreaterThanOrEqual(400)
  }
})
