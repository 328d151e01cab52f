import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createRunFor } from '../../testing/factories.ts'
import { selectFailed } from '../select-failed.ts'
import { findFailedTests } from './failed-tests.ts'
import { findFixed } from './named-tests.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

interface Row {
  position: number
  test: number
  status: string
  error: number | null
  muted: boolean
}

const uuid = (text: string) =>
  createHash('md5')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
const errorId = ({ error }: Pick<Row, 'error'>) => (error === null ? null : uuid(`error ${error}`))

async function store(projectId: string, rows: Row[]): Promise<string> {
  const run = await createRunFor(app, { projectId })
  await app.dataSource.query(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, file, status, error_id, muted, flaky)
     SELECT $1, position, test_id, '', name, name || '.test.ts', status, error_id, muted, false
       FROM json_to_recordset($2) AS row (position int, test_id uuid, name text, status text, error_id uuid, muted boolean)`,
    [
      run.id,
      JSON.stringify(
        rows.map((row) => ({
          ...row,
          test_id: uuid(`test ${row.test}`),
          name: `test ${row.test}`,
          error_id: errorId(row),
        })),
      ),
    ],
  )
  return run.id
}

/** Failures with and without errors, muted ones, and several results of one test. */
const resultsOf = (seed: number): Row[] =>
  Array.from({ length: 400 }, (_, position) => {
    const draw = (position * 7919 + seed * 104_729) % 1_009
    return {
      position,
      test: (position * (seed + 1)) % 300,
      status: draw % 5 === 0 ? 'passed' : 'failed',
      error: draw % 11 === 0 ? null : draw % (seed === 2 ? 90 : 9),
      muted: draw % 13 === 0,
    }
  })

test.each([
  [1, 2],
  [2, 1],
  [1, undefined],
])('groups failures like a computation row by row (results %j, before %j)', async (seed, seedBefore) => {
  const { id: projectId } = await createProjectFor(app)
  const [rows, rowsBefore] = [resultsOf(seed), seedBefore === undefined ? [] : resultsOf(seedBefore)]
  const before = seedBefore === undefined ? undefined : await store(projectId, rowsBefore)
  const runId = await store(projectId, rows)
  const db = app.dataSource.manager
  const [maxGroups, maxTests] = [7, 3]

  const failedBefore = new Set(rowsBefore.filter(({ status }) => status === 'failed').map(({ test }) => test))
  const failed = rows.filter(({ status, muted }) => status === 'failed' && !muted)
  const isNew = ({ test }: Row) => !failedBefore.has(test)
  const groups = [...Map.groupBy(failed, errorId)]
    .map(([id, all]) => ({ id, all, fresh: all.filter(isNew) }))
    .toSorted(
      (a, b) =>
        Number(a.fresh.length === 0) - Number(b.fresh.length === 0) ||
        b.all.length - a.all.length ||
        // Failures without an error come last.
        ((a.id ?? 'x') < (b.id ?? 'x') ? -1 : 1),
    )
  const found = await findFailedTests({ db }, { runId, before, maxGroups, maxTests })
  expect(found).toMatchObject({
    failures: failed.length,
    newFailures: failed.filter(isNew).length,
    groups: groups.filter(({ id }) => id !== null).length,
  })
  expect(
    found.tests.map(({ group, groupTests, groupNewTests, name }) => [group, groupTests, groupNewTests, name]),
  ).toEqual(
    groups
      .slice(0, maxGroups)
      .flatMap(({ all, fresh }, index) =>
        [...fresh, ...all.filter((row) => !isNew(row))]
          .slice(0, maxTests)
          .map(({ test }) => [index + 1, all.length, fresh.length, `test ${test}`]),
      ),
  )

  const statusesOf = (test: number) => rows.filter((row) => row.test === test).map(({ status }) => status)
  const fixed = rowsBefore.filter(({ test, status }) => {
    const now = statusesOf(test)
    return status === 'failed' && now.includes('passed') && !now.includes('failed')
  })
  expect(await findFixed({ db }, runId, before)).toMatchObject({
    count: fixed.length,
    tests: fixed.slice(0, 10).map(({ test }) => `test ${test}`),
  })
})

test('selects tests up to 500, then files up to 500, then everything', async () => {
  const { id: projectId } = await createProjectFor(app)
  const failures = (tests: number, results: number) =>
    Array.from({ length: results }, (_, position) => {
      return { position, test: position % tests, status: 'failed', error: 1, muted: false }
    })
  const select = async (rows: Row[]) => selectFailed({ db: app.dataSource.manager }, await store(projectId, rows))
  expect((await select(failures(500, 3_000)))?.tests).toHaveLength(500)
  expect(await select(failures(501, 3_000))).toBeNull()
  // The tests beyond the first 2,000 results count too.
  const late = failures(400, 2_600).map((row) => (row.position < 2_000 ? row : { ...row, test: row.position }))
  expect(await select(late)).toBeNull()
  expect((await select(late.slice(0, 2_050)))?.tests).toHaveLength(450)
})
