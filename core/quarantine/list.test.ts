import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createQuarantineFor } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('lists requests and active quarantines before those that have ended, newest first', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const ids: Record<string, string> = {}
  for (const status of ['requested', 'active', 'released', 'expired'] as const) {
    ids[status] = (await createQuarantineFor(app, { projectId, status })).id
  }
  const client = app.client(await createTokenFor(app, { user }))
  const list = async (page: { limit: number; offset: number }) => {
    const { quarantines, pagination } = await client.quarantine.list.query({ projectId, ...page })
    expect(pagination.total).toBe(4)
    return quarantines.map(({ id }) => id)
  }
  const expected = [ids['active'], ids['requested'], ids['expired'], ids['released']]
  expect(await list({ limit: 4, offset: 0 })).toEqual(expected)
  expect(await list({ limit: 2, offset: 1 })).toEqual(expected.slice(1, 3))
})
