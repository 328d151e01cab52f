import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('whoever writes to a run and then to its project keeps nobody from deleting the project', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const { id: runId } = await createRunFor(app, { projectId, status: 'RUNNING' })
  const client = app.client(await createTokenFor(app, { user }))
  const other = app.dataSource.createQueryRunner()
  await other.startTransaction()
  // Who looks for deadlocks first is the one that is ended.
  await other.query(`SET LOCAL deadlock_timeout = '10min'`)
  await other.query('SELECT FROM test_runs WHERE id = $1 FOR UPDATE', [runId])
  const deleting = client.projects.deleteProject.mutate({ projectId })
  // Once the deletion waits for the run, each waits for the other, and Postgres ends one.
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await expect.poll(() => app.dataSource.query(waiting), { timeout: 10_000 }).toHaveLength(1)
  await other.query('SELECT FROM projects WHERE id = $1 FOR UPDATE', [projectId])
  await other.commitTransaction()
  await other.release()
  expect(await deleting).toMatchObject({ message: expect.stringContaining('is deleted') })
})
