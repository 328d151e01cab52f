import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { TestRunRow } from '../test-runs/entity.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const { projects } = app.client(await createTokenFor(app, { user }))
  const run = (branch: string | null, fields: Partial<TestRunRow> = {}) =>
    createRunFor(app, { projectId, branch, ...fields })
  const names = async (input: object = {}) =>
    (await projects.branches.query({ projectId, ...input })).branches.map(({ name }) => name)
  return { user, projectId, projects, run, names }
}

test('lists branches with their latest run, the newest first', async () => {
  const { projectId, projects, run, names } = await setUp()
  expect(await names()).toEqual([])
  await run('main', { status: 'COMPLETED', totalTests: 1 })
  await run('feature/cart')
  const latest = await run('main', { status: 'COMPLETED', totalTests: 1, failedTests: 1 })
  await run('snapshots only', { snapshotId: 'a-snapshot' })
  await run(null)
  const { branches } = await projects.branches.query({ projectId })
  expect(branches).toEqual([
    { name: 'main', runId: latest.id, reportedStatus: 'FAILED', createdAt: latest.createdAt.toISOString() },
    expect.objectContaining({ name: 'feature/cart', reportedStatus: 'PENDING' }),
  ])
})

test('searches branches and limits their number', async () => {
  const { run, names } = await setUp()
  for (const branch of ['a_b', 'aXb', 'Feature/Cart', "x'; DROP TABLE test_runs; --", '🙂']) await run(branch)
  expect(await names({ search: 'cart' })).toEqual(['Feature/Cart'])
  expect(await names({ search: 'a_b' })).toEqual(['a_b'])
  expect(await names({ search: "'; DROP" })).toHaveLength(1)
  expect(await names({ search: '' })).toHaveLength(5)
  expect(await names({ limit: 2 })).toEqual(['🙂', "x'; DROP TABLE test_runs; --"])
})

test('refuses foreign projects, wrong input and tokens without the scope', async () => {
  const { user, projectId, projects, names } = await setUp()
  const { id: foreign } = await createProjectFor(app)
  await expect(projects.branches.query({ projectId: foreign })).rejects.toThrow('No such project')
  await expect(names({ limit: 101 })).rejects.toThrow('limit: must be at most 100')
  await expect(names({ search: 'x'.repeat(201) })).rejects.toThrow('search: must have at most 200 characters')
  const reader = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  await expect(reader.projects.branches.query({ projectId })).rejects.toThrow('tests:read')
})
