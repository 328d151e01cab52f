import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Context, inTransaction } from '../base/context.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { contextFor } from '../testing/context.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { TestRunRow } from './entity.ts'
import type { ListRuns } from './schema.ts'
import { beginRun, endRun } from './state.ts'

let app: TestApp
let ctx: Context
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  ctx = contextFor(app)
})
afterAll(() => app[Symbol.asyncDispose]())

async function setUp() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const create = (fields: Partial<TestRunRow> = {}) => createRunFor(app, { projectId, userId: user.id, ...fields })
  return { user, projectId, client, create }
}

const eventsOf = (runId: string) =>
  app.dataSource.query<{ type: string; data: Record<string, unknown> }[]>(
    `SELECT type, envelope::jsonb->'data' AS data FROM events WHERE envelope::jsonb->'data'->>'id' = $1 ORDER BY id`,
    [runId],
  )

test('lists runs newest first, and filters by branch, status and reported status', async () => {
  const { projectId, client, create } = await setUp()
  const runs = {
    waiting: await create(),
    running: await create({ status: 'RUNNING', branch: 'other' }),
    passed: await create({ status: 'COMPLETED', totalTests: 1, passedTests: 1 }),
    failed: await create({ status: 'COMPLETED', totalTests: 2, failedTests: 1 }),
    error: await create({ status: 'FAILED', error: { code: 'NO_TESTS', message: 'No test ran.' } }),
    cancelled: await create({ status: 'CANCELLED' }),
  }
  const names = new Map(Object.entries(runs).map(([name, { id }]) => [id, name]))
  const list = async (
    input: Omit<ListRuns, 'projectId' | 'limit' | 'offset'> & { limit?: number; offset?: number },
  ) => {
    const page = await client.testRuns.list.query({ projectId, ...input })
    return { names: page.runs.map(({ id }) => names.get(id)), ...page.pagination }
  }
  const all = ['cancelled', 'error', 'failed', 'passed', 'running', 'waiting']
  expect(await list({})).toEqual({ names: all, total: 6, limit: 20, offset: 0 })
  expect(await list({ limit: 2, offset: 1 })).toEqual({ names: all.slice(1, 3), total: 6, limit: 2, offset: 1 })
  expect(await list({ branch: 'other' })).toMatchObject({ names: ['running'], total: 1 })
  for (const [status, expected] of [
    ['PENDING', ['waiting']],
    ['RUNNING', ['running']],
    ['COMPLETED', ['failed', 'passed']],
    ['PASSED', ['passed']],
    ['FAILED', ['failed']],
    ['ERROR', ['error']],
    ['CANCELLED', ['cancelled']],
  ] as const) {
    expect([status, (await list({ status })).names]).toEqual([status, expected])
  }
  const shown = await client.projects.getProject.query({ projectId })
  expect(shown.testRuns.map(({ id }) => names.get(id))).toEqual(all)
  expect(shown.testRuns[3]).toEqual({
    id: runs.passed.id,
    status: 'COMPLETED',
    passedTests: 1,
    totalTests: 1,
    createdAt: runs.passed.createdAt.toISOString(),
  })
})

test('filters runs by source, the beginning of the commit id, and time', async () => {
  const { projectId, client, create } = await setUp()
  const at = (day: number) => ({ createdAt: new Date(Date.UTC(2026, 0, day)) })
  const runs = {
    pushed: await create({ source: 'push', commitSha: 'abcdef0'.padEnd(40, '1'), ...at(1) }),
    uploaded: await create({ source: 'upload', commitSha: 'abcdef0'.padEnd(40, '2'), ...at(2) }),
    other: await create({ source: 'push', commitSha: 'f'.repeat(40), ...at(3) }),
  }
  const names = new Map(Object.entries(runs).map(([name, { id }]) => [id, name]))
  const list = async (input: Partial<Parameters<typeof client.testRuns.list.query>[0]>) =>
    (await client.testRuns.list.query({ projectId, ...input })).runs.map(({ id }) => names.get(id))
  expect(await list({ source: 'push' })).toEqual(['other', 'pushed'])
  expect(await list({ commitSha: 'ABCDEF0' })).toEqual(['uploaded', 'pushed'])
  expect(await list({ commitSha: 'abcdef0'.padEnd(40, '2') })).toEqual(['uploaded'])
  expect(await list({ commitSha: 'abcdef0', source: 'push' })).toEqual(['pushed'])
  expect(await list({ since: '2026-01-02T00:00:00Z' })).toEqual(['other', 'uploaded'])
  expect(await list({ until: '2026-01-02T00:00:00Z' })).toEqual(['pushed'])
  expect(await list({ since: '2026-01-02T01:00:00+01:00', until: '2026-01-03T00:00:00Z' })).toEqual(['uploaded'])
  await expect(list({ commitSha: 'abcdef' })).rejects.toThrow('commitSha: must be a commit id or its beginning')
  await expect(list({ commitSha: 'abcdef%' })).rejects.toThrow('commitSha: must be a commit id or its beginning')
  await expect(list({ since: 'yesterday' })).rejects.toThrow('since: must be a date and time in ISO 8601')
  await expect(list({ source: 'somewhere' as never })).rejects.toThrow('source: must be one of')
})

test('lists only whole runs of a branch, and only those with coverage, on request', async () => {
  const { projectId, client, create } = await setUp()
  const measured = { status: 'COMPLETED', totalTests: 2, coverage: 80 } as const
  const whole = await create(measured)
  const unmeasured = await create({ ...measured, coverage: null })
  const partial = await create({ ...measured, coverage: 0, selection: { paths: ['a.test.js'], tests: [] } })
  await create({ ...measured, withSecrets: false, coverage: null })
  const list = async (input: { whole?: boolean; measured?: boolean }) =>
    (await client.testRuns.list.query({ projectId, ...input })).runs.map(({ id }) => id)
  expect(await list({ whole: true })).toEqual([unmeasured.id, whole.id])
  expect(await list({ measured: true })).toEqual([partial.id, whole.id])
  expect(await list({ whole: true, measured: true })).toEqual([whole.id])
  expect(await list({ whole: false, measured: false })).toHaveLength(4)
})

test('shows the ten latest runs of a project over RPC and REST', async () => {
  const { user, projectId, create } = await setUp()
  const ids: string[] = []
  for (let index = 0; index < 12; index++) ids.push((await create({ status: 'CANCELLED' })).id)
  const response = await app.fetch(`/api/v1/projects/${projectId}`, { token: await createTokenFor(app, { user }) })
  const { project } = (await response.json()) as { project: { testRuns: { id: string }[] } }
  expect(project.testRuns.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 10))
})

test.each([
  { status: 'passed' },
  { status: '' },
  { branch: 1 },
  { limit: 0 },
  { limit: 101 },
  { limit: '5' },
  { offset: -1 },
  { offset: 0.5 },
])('rejects the list %j', async (wrong) => {
  const { projectId, client } = await setUp()
  const call = client.testRuns.list.query({ projectId, ...(wrong as object) })
  await expect(call).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  await expect(call).rejects.toThrow(new RegExp(`^${Object.keys(wrong)[0]}: `))
})

test.each([-1, 46, '1', null])('rejects waitSeconds: %j', async (waitSeconds) => {
  const { client, create } = await setUp()
  const { id: runId } = await create()
  const call = client.testRuns.get.query({ runId, waitSeconds: waitSeconds as number })
  await expect(call).rejects.toThrow(/^waitSeconds: /)
})

test('answers a waiting call when the run is cancelled, or when the time is up', async () => {
  const { client, create } = await setUp()
  const { id: runId } = await create()
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  expect(await client.testRuns.get.query({ runId, waitSeconds: 0.5 })).toMatchObject({ status: 'PENDING' })
  expect(elapsed()).toBeGreaterThanOrEqual(500)
  const waiting = client.testRuns.get.query({ runId, waitSeconds: 45 })
  await client.testRuns.cancel.mutate({ runId })
  expect(await waiting).toMatchObject({ status: 'CANCELLED', reportedStatus: 'CANCELLED', queue: null, plan: null })
})

test('cancels a run once, even for repeated and concurrent calls', async () => {
  const { client, create } = await setUp()
  const { id: runId } = await create({ status: 'RUNNING', attempt: 1, startedAt: new Date() })
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.testRuns.cancel.mutate({ runId })))
  const again = await client.testRuns.cancel.mutate({ runId })
  expect(again).toMatchObject({ status: 'CANCELLED', completedAt: expect.any(String), duration: expect.any(Number) })
  for (const answer of answers) expect(answer).toEqual(again)
  expect(await eventsOf(runId)).toMatchObject([{ type: 'test_run.failed', data: { status: 'cancelled' } }])
})

test('does not cancel a run that has ended', async () => {
  const { client, create } = await setUp()
  const { id: runId } = await create({ status: 'COMPLETED', totalTests: 1, passedTests: 1 })
  expect(await client.testRuns.cancel.mutate({ runId })).toMatchObject({ status: 'COMPLETED' })
  expect(await eventsOf(runId)).toEqual([])
})

test('gives a run one end and one event if it ends and is cancelled at the same time', async () => {
  const { client, create } = await setUp()
  for (let round = 0; round < 10; round++) {
    const { id: runId } = await create()
    const begun = await beginRun(ctx, runId)
    if (!begun) throw new Error('It did not begin.')
    const end = (status: 'COMPLETED' | 'FAILED') => inTransaction(ctx, (tx) => endRun(tx, begun.run, { status }))
    const [completed, failed] = await Promise.all([
      end('COMPLETED'),
      end('FAILED'),
      client.testRuns.cancel.mutate({ runId }),
    ])
    const { status } = await client.testRuns.get.query({ runId })
    expect([completed, failed]).toEqual([status === 'COMPLETED', status === 'FAILED'])
    const type = status === 'COMPLETED' ? 'test_run.completed' : 'test_run.failed'
    const lowered = status.toLowerCase()
    expect(await eventsOf(runId)).toMatchObject([
      { type: 'test_run.started', data: { status: 'running' } },
      { type, data: { status: lowered } },
    ])
  }
})

test('emits no event for an end that is rolled back', async () => {
  const { create } = await setUp()
  const run = await create({ status: 'RUNNING' })
  const broken = inTransaction(ctx, async (tx) => {
    expect(await endRun(tx, run, { status: 'COMPLETED' })).toBe(true)
    throw new Error('something else broke')
  })
  await expect(broken).rejects.toThrow('something else broke')
  expect(await eventsOf(run.id)).toEqual([])
})

test('ignores the worker of an earlier attempt', async () => {
  const { client, create } = await setUp()
  const { id: runId } = await create()
  const first = await beginRun(ctx, runId)
  const second = await beginRun(ctx, runId)
  const end = (begun = first) =>
    inTransaction(ctx, async (tx) => begun && endRun(tx, begun.run, { status: 'COMPLETED' }))
  expect(await end(first)).toBe(false)
  expect(await client.testRuns.get.query({ runId })).toMatchObject({ status: 'RUNNING' })
  expect(await end(second)).toBe(true)
  expect((await eventsOf(runId)).map(({ type }) => type)).toEqual(['test_run.started', 'test_run.completed'])
  expect(await beginRun(ctx, runId)).toBeUndefined()
})

test('shows the queue position of queued runs', async () => {
  const { client, create } = await setUp()
  await app.dataSource.query(`UPDATE test_runs SET status = 'CANCELLED' WHERE status IN ('PENDING', 'RUNNING')`)
  const first = await create()
  const second = await create()
  const place = async (runId: string) => (await client.testRuns.get.query({ runId })).queue
  expect(await place(first.id)).toMatchObject({
    position: 1,
    running: 0,
    reason: expect.stringContaining('as soon as'),
  })
  expect(await place(second.id)).toMatchObject({
    position: 2,
    reason: expect.stringContaining('Queued before this run: 1'),
  })
  await beginRun(ctx, first.id)
  expect(await place(second.id)).toMatchObject({
    position: 1,
    running: 1,
    reason: expect.stringContaining('which is the maximum'),
  })
  expect(await place(first.id)).toBeNull()
})
