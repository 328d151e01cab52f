import type { Context } from '../../base/context.ts'
import type { TestRunRow } from '../entity.ts'
import type { CaseStatus } from '../../../engines/reports/report.ts'
import { cutText } from '../../../engines/reports/text.ts'

export interface TestNames {
  count: number
  tests: string[]
  leftOut: number
}

const maxNames = 10
const maxNameLength = 160

interface Row {
  suite: string
  name: string
  count: number
}

/** Returns the tests that failed in the earlier run and passed in this one. */
export async function findFixed(
  { db }: Pick<Context, 'db'>,
  runId: string,
  before: string | undefined,
): Promise<TestNames> {
  if (before === undefined) return presentNames([])
  return presentNames(
    await db.query<Row[]>(
      `WITH gone AS MATERIALIZED (
         SELECT b.test_id, b.position
           FROM test_results b
           LEFT JOIN test_results r ON r.run_id = $2 AND r.status = 'failed' AND r.test_id = b.test_id
          WHERE b.run_id = $1 AND b.status = 'failed' AND r.test_id IS NULL
       ), fixed AS MATERIALIZED (
         SELECT position, count(*) OVER ()::int AS count
           FROM gone
          WHERE EXISTS (SELECT FROM test_results r WHERE r.test_id = gone.test_id AND r.run_id = $2 AND r.status = 'passed')
          ORDER BY position LIMIT $3
       )
       SELECT suite, name, count FROM fixed JOIN test_results b ON b.run_id = $1 AND b.position = fixed.position
        ORDER BY fixed.position`,
      [before, runId, maxNames],
    ),
  )
}

/** Returns the tests that passed in this run after a failed attempt. */
export async function findPassedAfterRetry(
  { db }: Pick<Context, 'db'>,
  { id, flakyTests }: Pick<TestRunRow, 'id' | 'flakyTests'>,
): Promise<TestNames> {
  if (flakyTests === 0) return presentNames([])
  return presentNames(
    await db.query<Row[]>(
      `SELECT suite, name, count(*) OVER ()::int AS count FROM test_results WHERE run_id = $1 AND flaky AND status = 'passed'
        ORDER BY position LIMIT $2`,
      [id, maxNames],
    ),
  )
}

/** Returns the tests that failed in this run, but are muted by quarantine. */
export const findMuted = (ctx: Pick<Context, 'db'>, { id, mutedTests }: Pick<TestRunRow, 'id' | 'mutedTests'>) =>
  findInQuarantine(ctx, id, { status: 'failed', most: mutedTests })

/** Returns the tests that the run left out because of quarantine. */
export const findLeftOut = (ctx: Pick<Context, 'db'>, { id, skippedTests }: Pick<TestRunRow, 'id' | 'skippedTests'>) =>
  findInQuarantine(ctx, id, { status: 'skipped', most: skippedTests })

async function findInQuarantine(
  { db }: Pick<Context, 'db'>,
  runId: string,
  { status, most }: { status: CaseStatus; most: number },
): Promise<TestNames> {
  if (most === 0) return presentNames([])
  return presentNames(
    await db.query<Row[]>(
      `SELECT suite, name, count(*) OVER ()::int AS count FROM test_results
        WHERE run_id = $1 AND status = $2 AND muted ORDER BY position LIMIT $3`,
      [runId, status, maxNames],
    ),
  )
}

function presentNames(rows: readonly Row[]): TestNames {
  const count = rows[0]?.count ?? 0
  const tests = rows.map(({ suite, name }) => cutText(suite === '' ? name : `${suite} > ${name}`, maxNameLength))
  return { count, tests, leftOut: count - tests.length }
}
