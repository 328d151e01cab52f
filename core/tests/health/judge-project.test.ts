import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOfSystem } from '../../base/context.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createHealthScene } from '../testing.ts'
import { requestPendingHealth } from './job.ts'
import { judgeProject } from './judge-project.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

test('a project with many tests is judged in turns, and a start goes on with what is left', async () => {
  const { upload, judged, project } = await createHealthScene(app)
  const tests = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`test ${index}`, 'passed' as const]))
  await upload({ tests })
  await judged()
  // As Postgres does by itself once the list is empty.
  await app.dataSource.query('ANALYZE unjudged_tests')
  const left = async () => (await app.dataSource.query<unknown[]>('SELECT FROM unjudged_tests')).length
  await app.dataSource.query(
    'INSERT INTO unjudged_tests (project_id, test_id, variant) SELECT project_id, test_id, variant FROM tests',
  )
  const { signal } = new AbortController()
  const ctx = contextOfSystem(app.services, app.dataSource.manager, { requestId: 'test', signal })
  expect(await judgeProject(ctx, project.id, Date.now())).toBe(true)
  expect(await left()).toBe(1_500)
  await requestPendingHealth(app.services, app.dataSource)
  await expect.poll(left, { timeout: 20_000 }).toBe(0)
  expect(await judgeProject(ctx, project.id)).toBe(false)
})
