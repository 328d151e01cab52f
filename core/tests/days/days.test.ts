import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOfSystem } from '../../base/context.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createRunFor } from '../../testing/factories.ts'
import { listPartitions, resultsTable } from '../../test-runs/results/partitions.ts'
import { createHealthScene, failing, type UploadedTests } from '../testing.ts'
import { deleteOldResults } from './retention.ts'
import { rollUpDays } from './roll-up.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const context = (now = new Date()) => ({
  ...contextOfSystem(app.services, app.dataSource.manager, { requestId: 'test', signal: new AbortController().signal }),
  now: () => now,
})
const day = 86_400_000
const hoursToday = () => (Date.now() % day) / 3_600_000

test('days that ended are rolled up, and again after a late upload', async () => {
  const { upload, judged, get } = await createHealthScene(app)
  const yesterday = (hour: number) => hoursToday() + 24 - hour
  await upload({ tests: { adds: 'passed' }, hoursAgo: yesterday(1) })
  await upload({ tests: { adds: failing() }, hoursAgo: yesterday(2) })
  await upload({ tests: { adds: 'retried' } })
  await judged()
  await rollUpDays(context())
  const date = new Date(Date.now() - day).toISOString().slice(0, 10)
  expect((await get('adds')).days).toEqual([
    { day: date, runs: 2, failures: 1, muted: 0, retried: 0, p50Ms: 100, p95Ms: 100 },
  ])
  await upload({ tests: { adds: 'retried' }, hoursAgo: yesterday(3) })
  await judged()
  await rollUpDays(context())
  await rollUpDays(context())
  expect((await get('adds')).days).toMatchObject([{ day: date, runs: 3, failures: 1, retried: 1 }])
  await rollUpDays(context(new Date(Date.now() + day)))
  expect((await get('adds')).days).toMatchObject([{ runs: 3 }, { runs: 1, retried: 1 }])
})

test('a run that a later upload moves to another day counts on that day only', async () => {
  const { upload, judged, get } = await createHealthScene(app)
  const shard = (tests: UploadedTests['tests'], daysAgo: number) =>
    upload({ tests, hoursAgo: hoursToday() + 24 * daysAgo - 12, commit: 'one', fields: { shardKey: 'ci' } })
  const daysOf = async (name: string) => (await get(name)).days.map((each) => [each.day, each.runs])
  const dayAgo = (days: number) => new Date(Date.now() - days * day).toISOString().slice(0, 10)
  await shard({ adds: 'passed' }, 1)
  await judged()
  await rollUpDays(context())
  expect(await daysOf('adds')).toEqual([[dayAgo(1), 1]])
  await shard({ pays: 'passed' }, 2)
  await judged()
  await rollUpDays(context())
  expect(await daysOf('adds')).toEqual([[dayAgo(2), 1]])
  expect(await daysOf('pays')).toEqual([[dayAgo(2), 1]])
})

test('a project that keeps daily counts for longer does not keep those of others', async () => {
  const [usual, thorough] = [await createHealthScene(app), await createHealthScene(app)]
  await thorough.client.tests.updatePolicy.mutate({ projectId: thorough.project.id, retention: { dailyDays: 1_000 } })
  const ids = [usual, thorough].map(({ project }) => project.id)
  const counted = (daysAgo: number) => new Date(Date.now() - daysAgo * day).toISOString().slice(0, 10)
  await app.dataSource.query(
    `INSERT INTO test_days (project_id, test_id, variant, day, runs, failures, muted, retried, skipped, default_runs, default_failures)
     SELECT id, gen_random_uuid(), '', day, 1, 0, 0, 0, 0, 1, 0 FROM unnest($1::text[]) AS id, unnest($2::date[]) AS day`,
    [ids, [counted(300), counted(500)]],
  )
  await deleteOldResults(context())
  const kept = await app.dataSource.query<{ id: string; days: number }[]>(
    'SELECT project_id AS id, count(*)::int AS days FROM test_days WHERE project_id = ANY ($1) GROUP BY project_id',
    [ids],
  )
  expect(ids.map((id) => kept.find((row) => row.id === id)?.days)).toEqual([1, 2])
})

test('daily counts cannot be kept for less time than the results that they come from', async () => {
  const { client, project } = await createHealthScene(app)
  const keep = (retention: { resultDays?: number; dailyDays?: number }) =>
    client.tests.updatePolicy.mutate({ projectId: project.id, retention })
  const refused = { message: expect.stringContaining('`dailyDays`'), data: { code: 'BAD_REQUEST' } }
  await expect(keep({ resultDays: 100, dailyDays: 99 })).rejects.toMatchObject(refused)
  await expect(keep({ dailyDays: 89 })).rejects.toMatchObject(refused)
  expect((await keep({ resultDays: 400 })).retention).toEqual({ resultDays: 400, dailyDays: 400 })
  await expect(keep({ dailyDays: 399 })).rejects.toMatchObject(refused)
  expect((await keep({ resultDays: 40, dailyDays: 40 })).retention).toEqual({ resultDays: 40, dailyDays: 40 })
})

test('results are deleted after the time of their project, and runs keep their counts', async () => {
  const [usual, frugal] = [await createHealthScene(app), await createHealthScene(app)]
  await frugal.client.tests.updatePolicy.mutate({ projectId: frugal.project.id, retention: { resultDays: 40 } })
  const addRun = async (projectId: string, daysAgo: number) => {
    const id = `${resultsTable.keyOf(new Date(Date.now() - daysAgo * day))}${projectId.slice(-16)}`
    await createRunFor(app, { id, projectId, status: 'COMPLETED', totalTests: 1, passedTests: 1 })
    await app.dataSource.query(
      `INSERT INTO test_results (run_id, position, test_id, suite, name, status, flaky) VALUES ($1, 0, gen_random_uuid(), '', 'a', 'passed', false)`,
      [id],
    )
    return id
  }
  const runs = await Promise.all(
    [usual, frugal].flatMap(({ project }) => [20, 60, 100].map((daysAgo) => addRun(project.id, daysAgo))),
  )
  const read = async (of: 'results' | 'deleted') => {
    const rows = await app.dataSource.query<{ id: string; tests: number; deleted: boolean; results: number }[]>(
      `SELECT id, total_tests AS tests, results_deleted AS deleted,
              (SELECT count(*)::int FROM test_results WHERE run_id = test_runs.id) AS results
         FROM test_runs WHERE id = ANY ($1)`,
      [runs],
    )
    expect(rows.every(({ tests }) => tests === 1)).toBe(true)
    return runs.map((id) => rows.find((row) => row.id === id)?.[of])
  }
  // The rows of the project with the usual time go with their partition.
  await deleteOldResults(context())
  expect(await read('results')).toEqual([1, 1, 1, 1, 0, 0])
  expect(await read('deleted')).toEqual([false, false, false, false, true, true])

  const before = await listPartitions(app.dataSource.manager, resultsTable)
  await deleteOldResults(context(new Date(Date.now() + 110 * day)))
  expect((await listPartitions(app.dataSource.manager, resultsTable)).length).toBeLessThan(before.length)
  expect(await read('results')).toEqual([0, 0, 0, 0, 0, 0])
  expect(await read('deleted')).toEqual([true, true, true, true, true, true])
})
