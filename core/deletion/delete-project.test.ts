import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('deleting a project succeeds although another transaction locks its run and then the project', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const { id: runId } = await createRunFor(app, { projectId, status: 'RUNNING' })
  const client = app.client(await createTokenFor(app, { user }))
  const other = app.dataSource.createQueryRunner()
  await other.startTransaction()
  // Postgres ends the transaction that detects the deadlock first.
  await other.query(`SET LOCAL deadlock_timeout = '10min'`)
  await other.query('SELECT FROM test_runs WHERE id = $1 FOR UPDATE', [runId])
  const deleting = client.projects.deleteProject.mutate({ projectId })
  // Once the deletion waits for the run, both wait for each other, and Postgres ends one of them.
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await expect.poll(() => app.dataSource.query(waiting), { timeout: 10_000 }).toHaveLength(1)
  await other.query('SELECT FROM projects WHERE id = $1 FOR UPDATE', [projectId])
  await other.commitTransaction()
  await other.release()
  expect(await deleting).toMatchObject({ message: expect.stringContaining('is deleted') })
})
