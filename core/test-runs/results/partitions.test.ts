import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createRunFor } from '../../testing/factories.ts'
import { createPartitions, dropPartitions, listPartitions, resultsTable } from './partitions.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const day = 86_400_000
const partitionOf = async (runId: string) => {
  const rows = await app.dataSource.query<{ name: string }[]>(
    'SELECT tableoid::regclass::text AS name FROM test_results WHERE run_id = $1',
    [runId],
  )
  return rows.map(({ name }) => name)
}
/** Ids of this process never go back in time, and other tests set their clocks to the future. */
const idAt = (time: Date) =>
  `${resultsTable.keyOf(time)}${Math.random().toString(32).slice(2, 10).toUpperCase()}00000000`
const addResult = (runId: string) =>
  app.dataSource.query(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, status, flaky)
     VALUES ($1, 0, gen_random_uuid(), '', 'adds', 'passed', false)`,
    [runId],
  )

test('rows go to the partition of their week, also those that came before it was created', async () => {
  const now = new Date()
  const db = app.dataSource.manager
  const current = await createRunFor(app, { id: idAt(now) })
  await addResult(current.id)
  expect(await partitionOf(current.id)).toEqual([expect.stringMatching(/^test_results_(?:before|\d{8})$/)])

  const future = await createRunFor(app, { id: idAt(new Date(now.getTime() + 70 * day)) })
  await addResult(future.id)
  expect(await partitionOf(future.id)).toEqual(['test_results_other'])
  const later = new Date(now.getTime() + 69 * day)
  await Promise.all([createPartitions(db, resultsTable, later), createPartitions(db, resultsTable, later)])
  expect(await partitionOf(future.id)).toEqual([expect.stringMatching(/^test_results_\d{8}$/)])
})

test('a server whose clock is behind, or whose table is locked, starts anyway', async () => {
  const db = app.dataSource.manager
  const names = async () => (await listPartitions(db, resultsTable)).map(({ name }) => name)
  const before = await names()
  await createPartitions(db, resultsTable, new Date('2020-01-01T00:00:00Z'))
  expect(await names()).toEqual(before)
  await db.transaction(async (tx) => {
    await tx.query('LOCK TABLE test_results IN ACCESS EXCLUSIVE MODE')
    await createPartitions(db, resultsTable, new Date())
  })
})

test('dropping removes whole weeks and leaves the rows of others', async () => {
  const db = app.dataSource.manager
  const run = await createRunFor(app, { id: idAt(new Date()) })
  await addResult(run.id)
  const before = await listPartitions(db, resultsTable)
  await dropPartitions(db, resultsTable, new Date(Date.now() - day))
  expect(await partitionOf(run.id)).toHaveLength(1)
  await dropPartitions(db, resultsTable, new Date(Date.now() + 14 * day))
  expect(await partitionOf(run.id)).toEqual([])
  expect((await listPartitions(db, resultsTable)).length).toBeLessThan(before.length)
})
