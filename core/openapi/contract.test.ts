import { expect, test } from 'vitest'
import { createTestApp } from '../testing/app.ts'
import { createTokenFor } from '../testing/factories.ts'
import { calls } from './testing/calls.ts'
import { expectAsDocumented, operations } from './testing/documented.ts'
import { app, type Call, receivers, send, user } from './testing/scene.ts'

test('every operation has a call here that succeeds', () => {
  const succeeding = Object.entries(calls).filter(([, ofOperation]) => ofOperation.some(([status]) => status < 400))
  expect(succeeding.map(([name]) => name).toSorted()).toEqual(operations.map(({ name }) => name).toSorted())
})

test('what each route answers, in success and in failure, has the documented shape', async () => {
  for (const [name, ofOperation] of Object.entries(calls)) {
    for (const [status, call] of ofOperation) {
      const response = await send(app, name, await call())
      expect([name, response.status, await response.clone().text()]).toEqual([name, status, expect.anything()])
      await expectAsDocumented(name, response)
    }
  }
})

test('refusals that a whole kind of routes shares have the documented shape', async () => {
  const narrow = await createTokenFor(app, { user, scopes: ['audit:read'] })
  for (const { name, operation } of operations) {
    const refused = async (status: number, call: Call) => {
      const response = await send(app, name, call)
      expect([name, response.status]).toEqual([name, status])
      await expectAsDocumented(name, response)
    }
    const needsCaller = operation.security?.length && !operation.security.some((one) => Object.keys(one).length === 0)
    if (needsCaller) await refused(401, { as: 'nobody' })
    const scopes = operation.security?.find((one) => one['token'])?.['token'] ?? []
    if (needsCaller && scopes.length > 0) {
      await refused(401, { headers: { authorization: 'Bearer svc_v1_bad' } })
      await refused(403, { headers: { authorization: `Bearer ${narrow}` } })
      await refused(403, { search: '?userEmail=somebody.else@example.com' })
    }
    const { content = {} } = (operation.requestBody ?? {}) as { content?: object }
    if ('application/json' in content) {
      const as = needsCaller && scopes.length === 0 ? 'session' : needsCaller ? 'token' : 'nobody'
      await refused(400, { as, body: '{' })
      await refused(400, { as, body: '[]' })
      await refused(415, { as, body: 'x', headers: { 'content-type': 'text/plain' } })
      await refused(413, { as, body: `"${'x'.repeat(1_100_000)}"` })
    }
  }
})

test('who calls too often reads so everywhere, with the documented headers', async () => {
  await using strict = await createTestApp({ ...receivers, rateLimit: 'standard' })
  await Promise.all(Array.from({ length: 100 }, () => send(strict, 'getSession', { as: 'nobody' })))
  for (const { name, operation } of operations) {
    const response = await send(strict, name, { as: 'nobody' })
    if (!operation.responses?.['429']) {
      expect(response.status, name).toBe(200)
      continue
    }
    expect(response.status, name).toBe(429)
    for (const header of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']) {
      expect(response.headers.get(header), `${name} ${header}`).toMatch(/^\d+$/)
    }
    await expectAsDocumented(name, response)
  }
})

test('a defect is told in the documented shape', async () => {
  await using broken = await createTestApp()
  await broken.dataSource.query('ALTER TABLE projects RENAME TO elsewhere')
  const own = await createTokenFor(broken)
  const response = await send(broken, 'listProjects', { headers: { authorization: `Bearer ${own}` } })
  expect(response.status).toBe(500)
  await expectAsDocumented('listProjects', response)
})
