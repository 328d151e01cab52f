import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { TestRunRow } from '../test-runs/entity.ts'
import { firstDay } from './trends.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const passed = { status: 'COMPLETED', totalTests: 3, passedTests: 3, duration: 100 } as const
const failed = { status: 'COMPLETED', totalTests: 3, passedTests: 2, failedTests: 1, duration: 400 } as const
const broken = { status: 'FAILED', error: { code: 'no_tests', message: 'No test ran.' }, duration: 9 } as const

async function setUp() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const { projects } = app.client(await createTokenFor(app, { user }))
  const run = (fields: Partial<TestRunRow>) => createRunFor(app, { projectId, ...fields })
  const trends = (input: object = {}) => projects.trends.query({ projectId, ...input })
  return { user, projectId, projects, run, trends }
}

const daysAgo = (days: number, hour = 12) => new Date(firstDay(new Date(), 1 + days).getTime() + hour * 3_600_000)
const dayOf = (date: Date) => date.toISOString().slice(0, 10)

test('counts the runs of each day, with times and the latest coverage, oldest day first', async () => {
  const { run, trends } = await setUp()
  await run({ ...passed, createdAt: daysAgo(2, 0), coverage: 70 })
  await run({ ...passed, createdAt: daysAgo(2), coverage: 71, duration: 200 })
  await run({ ...failed, createdAt: daysAgo(2, 23) })
  await run({ ...broken, createdAt: daysAgo(1) })
  await run({ status: 'COMPLETED', source: 'upload', coverage: 75, createdAt: daysAgo(1) })
  await run({ status: 'CANCELLED', createdAt: daysAgo(0, 0) })
  const { days, branch, runs } = await trends({ days: 3 })
  expect(branch).toBe('main')
  expect(days).toEqual([
    {
      day: dayOf(daysAgo(2)),
      runs: 3,
      passed: 2,
      failed: 1,
      errors: 0,
      durationP50: 200,
      durationP95: 400,
      coverage: 71,
    },
    {
      day: dayOf(daysAgo(1)),
      runs: 2,
      passed: 0,
      failed: 0,
      errors: 1,
      durationP50: null,
      durationP95: null,
      coverage: 75,
    },
  ])
  expect((await trends({ days: 2 })).days.map(({ day }) => day)).toEqual([dayOf(daysAgo(1))])
  expect(runs.map(({ reportedStatus }) => reportedStatus)).toEqual([
    'CANCELLED',
    'PASSED',
    'ERROR',
    'FAILED',
    'PASSED',
    'PASSED',
  ])
})

test('says since which run and commit the tests fail, and since when they pass again', async () => {
  const { run, trends } = await setUp()
  expect(await trends()).toEqual({ branch: 'main', current: null, days: [], runs: [] })
  await run(passed)
  const first = await run({ ...failed, commitSha: 'a'.repeat(40) })
  await run({ status: 'CANCELLED' })
  await run(broken)
  const since = { runId: first.id, commitSha: 'a'.repeat(40), createdAt: first.createdAt.toISOString() }
  expect((await trends()).current).toEqual({ status: 'error', since, runs: 2 })
  await run({ ...failed })
  expect((await trends()).current).toEqual({ status: 'failing', since, runs: 3 })
  const fixed = await run(passed)
  await run(passed)
  await run({ status: 'RUNNING' })
  expect((await trends()).current).toMatchObject({ status: 'passing', since: { runId: fixed.id }, runs: 2 })
})

test('a branch has its own trends; selected tests, snapshots and runs of strangers have none', async () => {
  const { run, trends } = await setUp()
  await run(passed)
  await run({ ...failed, branch: 'feature/x' })
  await run({ ...failed, snapshotId: 'a-snapshot' })
  await run({ ...failed, withSecrets: false })
  await run({ ...failed, selection: { paths: ['a.test.js'], tests: [] } })
  expect(await trends()).toMatchObject({ current: { status: 'passing', runs: 1 }, days: [{ runs: 1 }] })
  expect(await trends({ branch: 'feature/x' })).toMatchObject({ branch: 'feature/x', current: { status: 'failing' } })
  expect(await trends({ branch: "'; DROP TABLE test_runs; --" })).toMatchObject({ current: null, days: [], runs: [] })
})

test('returns at most the latest 200 runs', async () => {
  const { run, trends } = await setUp()
  for (let index = 0; index < 201; index++) await run({ ...passed, duration: index })
  const { runs, current } = await trends()
  expect([runs.length, runs[0]?.duration, runs.at(-1)?.duration, current?.runs]).toEqual([200, 200, 1, 201])
})

test('refuses foreign projects, wrong input and tokens without the scope', async () => {
  const { user, projectId, projects, trends } = await setUp()
  const { id: foreign } = await createProjectFor(app)
  await expect(projects.trends.query({ projectId: foreign })).rejects.toThrow('No such project')
  await expect(trends({ days: 0 })).rejects.toThrow('days: must be at least 1')
  await expect(trends({ days: 401 })).rejects.toThrow('days: must be at most 400')
  await expect(trends({ branch: '' })).rejects.toThrow('branch: must not be empty')
  const reader = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  await expect(reader.projects.trends.query({ projectId })).rejects.toThrow('tests:read')
})
