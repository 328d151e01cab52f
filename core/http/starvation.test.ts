import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web', logLevel: 'warn' })))
afterAll(() => app[Symbol.asyncDispose]())

/** Creates a user with a run that has `rows` results with long names. */
async function createTenant({
  rows = 0,
  status = 'COMPLETED',
}: { rows?: number; status?: 'COMPLETED' | 'RUNNING' } = {}) {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const { id: runId } = await createRunFor(app, { projectId, userId: user.id, status, totalTests: rows })
  await app.dataSource.query(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, file, status, flaky)
     SELECT $1, n, gen_random_uuid(), repeat('a', 1000), repeat('a', 990) || n, repeat('a', 500), 'passed', false
       FROM generate_series(1, $2::integer) AS n`,
    [runId, rows],
  )
  const query = (procedure: string, input: object) =>
    app.fetch(`/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`, { token })
  return { user, token, projectId, runId, query, client: app.client(token) }
}

/** Counts the responses by status. */
async function statusesOf(responses: Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const response of await Promise.all(responses)) {
    await response.body?.cancel()
    counts[response.status] = (counts[response.status] ?? 0) + 1
  }
  return counts
}

test('an unfortunate search takes as long as any other, and many of them leave room for other callers', async () => {
  const { query, runId, client } = await createTenant({ rows: 8_000 })
  // The fastest of three, because the machine may be busy with something else.
  const measure = async (search: string) => {
    const durations = []
    for (let round = 0; round < 3; round++) {
      const startedAt = performance.now()
      await client.testRuns.results.query({ runId, search })
      durations.push(performance.now() - startedAt)
    }
    return Math.min(...durations)
  }
  const usual = await measure('checkout')
  const worst = ['a'.repeat(199) + 'b', 'b' + 'a'.repeat(199), 'a'.repeat(100) + 'b' + 'a'.repeat(99)]
  // ILIKE took a hundred times as long for the first and the last, and strpos twelve times for the second.
  for (const search of worst) expect(await measure(search), search).toBeLessThan(6 * usual + 100)

  const other = await createTenant()
  const searches = Array.from({ length: 14 }, () => query('testRuns.results', { runId, search: worst[0] }))
  const ordinary = Array.from({ length: 30 }, () => other.query('projects.getProject', { projectId: other.projectId }))
  expect(await statusesOf(ordinary)).toEqual({ 200: 30 })
  const { 200: answered = 0, 429: refused = 0 } = await statusesOf(searches)
  // On a slow machine the last ones wait too long for those before them.
  expect([answered + refused, answered > 0]).toEqual([14, true])
})

test('600 calls that wait for runs answer when these end, and other callers do not notice them', async () => {
  const tenants = await Promise.all(Array.from({ length: 3 }, () => createTenant({ status: 'RUNNING' })))
  const other = await createTenant()
  const waits = tenants.flatMap(({ query, runId }) =>
    Array.from({ length: 200 }, () => query('testRuns.get', { runId, waitSeconds: 45 })),
  )
  const ordinary = Array.from({ length: 30 }, () => other.query('projects.getProject', { projectId: other.projectId }))
  expect(await statusesOf(ordinary)).toEqual({ 200: 30 })
  await app.dataSource.query(`UPDATE test_runs SET status = 'COMPLETED' WHERE status = 'RUNNING'`)
  expect(await statusesOf(waits)).toEqual({ 200: 600 })
})
