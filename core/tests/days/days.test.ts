import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOfSystem } from '../../base/context.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createRunFor } from '../../testing/factories.ts'
import { listPartitions, resultsTable } from '../../test-runs/results/partitions.ts'
import { createHealthScene, failing } from '../testing.ts'
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
