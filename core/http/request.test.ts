import { expect, test } from 'vitest'
import { createTestApp } from '../testing/app.ts'
import { createSessionFor, createTokenFor } from '../testing/factories.ts'

const https = 'https://assay.example.com'

test('in production with https, every response has Strict-Transport-Security, including errors', async () => {
  await using app = await createTestApp({ production: true, local: false, baseUrl: https })
  for (const path of ['/health', '/nowhere', '/health//', '/trpc/health', '/trpc/projects.getProjects']) {
    const { headers } = await app.fetch(path)
    expect(headers.get('strict-transport-security'), path).toBe('max-age=31536000')
  }
})

test.each([
  ['production without https', { production: true, local: false, baseUrl: 'http://localhost:4000' }],
  ['local mode with https', { production: false, local: true, baseUrl: https }],
])('in %s, responses have no Strict-Transport-Security', async (_name, settings) => {
  await using app = await createTestApp(settings)
  const { headers } = await app.fetch('/health', { headers: { 'x-forwarded-proto': 'https' } })
  expect(headers.get('strict-transport-security')).toBeNull()
})

test('forwarded scheme and host headers have no effect', async () => {
  const forwarded = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example;proto=https',
  }
  let clock = Date.now()
  await using app = await createTestApp({ trustProxy: 1 }, { now: () => new Date(clock) })
  const { cookie } = await createSessionFor(app)
  clock += 10_000
  const refreshed = await app.fetch('/api/auth/get-session', { cookie, headers: forwarded })
  expect(refreshed.status).toBe(200)
  expect(refreshed.headers.getSetCookie()).toEqual([expect.not.stringContaining('Secure')])
  const seen = [...refreshed.headers].join() + (await refreshed.text())
  expect(seen).not.toContain('evil.example')

  const posing = { ...forwarded, origin: 'https://evil.example' }
  const refused = await app.fetch('/api/auth/sign-out', { method: 'POST', cookie, headers: posing })
  expect(refused.status).toBe(403)
  expect(refused.headers.get('access-control-allow-origin')).toBeNull()
})

test('the referrer policy lets browsers send the origin of our own pages, which the origin check needs', async () => {
  await using app = await createTestApp()
  const { headers } = await app.fetch('/health')
  // With `no-referrer`, they would send `Origin: null` with every form.
  expect(headers.get('referrer-policy')).toBe('same-origin')
})

test('the log line of a request contains the address of the client', async () => {
  await using app = await createTestApp({ trustProxy: 1 })
  await app.fetch('/nowhere', { headers: { 'x-forwarded-for': '192.0.2.9' } })
  const line = app.logLines.find((text) => text.includes('"msg":"request"'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ path: '/nowhere', status: 404, clientAddress: '192.0.2.9' })
})

test('a REST error contains the hint in its body', async () => {
  await using app = await createTestApp()
  const token = await createTokenFor(app, { scopes: ['tests:read'] })
  const refused = await app.fetch('/api/v1/projects', { token })
  expect(await refused.json()).toMatchObject({
    code: 'FORBIDDEN',
    hint: { kind: 'missing_scope', scope: 'projects:read' },
  })
})
