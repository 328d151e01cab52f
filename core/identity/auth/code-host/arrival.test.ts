import { expect, test } from 'vitest'
import { app, approved, callback, expectFailure, host, useCodeHostScene } from '../../../testing/code-host-scene.ts'
import { createVisitor } from '../../../testing/visitor.ts'

useCodeHostScene()

test('a return to another port explains the mismatch and does not use up the state', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor)
  const { port } = new URL(app.url)
  const wrong = `localhost:${Number(port) - 1}`
  const visit = await visitor.visit(callback + back.search, { headers: { host: wrong } })
  expect(visit.status).toBe(400)
  expect(visit.headers['content-type']).toContain('text/html')
  for (const named of [wrong, app.config.baseUrl, 'BASE_URL', 'TRUST_PROXY', `${app.config.baseUrl}${callback}`]) {
    expect(visit.body).toContain(named)
  }
  expect(visit.location).toBeUndefined()
  expect((await visitor.visit(callback + back.search)).location).toBe(`${app.url}/`)
})

test('a sign-in that begins at another port is refused with both addresses, unless a trusted page begins it', async () => {
  const wrong = 'localhost:1234'
  const begin = (headers: Record<string, string>) =>
    createVisitor(app).visit('/api/auth/sign-in/social', { method: 'POST', json: { provider: 'code_host' }, headers })
  const visit = await begin({ host: wrong })
  expect(visit.status).toBe(400)
  expect(JSON.parse(visit.body).message).toContain(wrong)
  expect(JSON.parse(visit.body).message).toContain(app.config.baseUrl)
  expect((await begin({ host: wrong, origin: 'http://localhost:5173' })).status).toBe(200)
})

test('behind a proxy, the forwarded host counts, and without that header nothing is checked', async () => {
  const visitor = createVisitor(app)
  app.config.trustProxy = 1
  try {
    const { host: ours } = new URL(app.config.baseUrl)
    const visit = (headers: Record<string, string>) => visitor.visit(`${callback}?code=a`, { headers })
    expect((await visit({ host: 'localhost:1', 'x-forwarded-host': 'elsewhere.example' })).status).toBe(400)
    expectFailure(await visit({ host: 'localhost:1', 'x-forwarded-host': ours }), 'invalid_state')
    expectFailure(await visit({ host: 'localhost:1' }), 'invalid_state')
  } finally {
    app.config.trustProxy = 0
  }
})

test('a callback URL that is not registered at the code host ends at a page that names ours', async () => {
  host.redirectUri = `${app.url}/another/callback`
  const visitor = createVisitor(app)
  const refused = new URL(await host.approve(await visitor.begin()))
  for (const query of [refused.search, '?error=redirect_uri_mismatch']) {
    const visit = await visitor.visit(callback + query)
    expect([visit.status, visit.location]).toEqual([400, undefined])
    expect(visit.body).toContain(`${app.config.baseUrl}${callback}`)
  }
  host.redirectUri = undefined
  const back = await approved(visitor)
  host.faults = { token: { status: 200, body: '{"error":"redirect_uri_mismatch"}' } }
  expect((await visitor.visit(callback + back.search)).status).toBe(400)
})
