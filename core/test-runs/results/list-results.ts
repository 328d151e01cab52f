import type { Context } from '../../base/context.ts'
import { nameOrFileContains } from './name-or-file.ts'
import { getOwnRun } from '../get.ts'
import type { ListResults, ResultsPage, TestResult } from './schema.ts'

interface Row extends Omit<TestResult, 'attempts'> {
  attempts: TestResult['attempts'] | null
}

const orders: Record<ListResults['sort'], string> = {
  status: `status <> 'failed', position`,
  duration: 'duration_ms DESC NULLS LAST, position',
  name: 'suite, name, position',
}
/** The columns that each order reads. */
const keys: Record<ListResults['sort'], string> = { status: 'status', duration: 'duration_ms', name: 'suite, name' }

/** Lists the results of a run, by default failed tests first, then the others in the order of the reports. */
export async function listResults(ctx: Context, input: ListResults): Promise<ResultsPage> {
  const { limit, offset, sort } = input
  const { run } = await getOwnRun(ctx, input.runId, 'viewer')
  const { where, values } = conditions(run.id, input)
  // One scan finds the page and the total, because a search reads every name of the run.
  const [found] = await ctx.db.query<[{ total: number; positions: number[] }]>(
    `WITH found AS MATERIALIZED (SELECT position, ${keys[sort]} FROM test_results WHERE ${where})
     SELECT (SELECT count(*)::int FROM found) AS total,
            ARRAY(SELECT position FROM found ORDER BY ${orders[sort]}
                   LIMIT $${values.length + 1} OFFSET $${values.length + 2}) AS positions`,
    [...values, limit, offset],
  )
  const rows = await ctx.db.query<Row[]>(
    `SELECT test_id AS "testId", suite, name, file, line, status, duration_ms AS "durationMs", message, stack, attempts,
            flaky AND status = 'passed' AS flaky, muted AND status = 'failed' AS muted, variant, error_id AS fingerprint
       FROM test_results WHERE run_id = $1 AND position = ANY($2) ORDER BY ${orders[sort]}`,
    [run.id, found.positions],
  )
  return {
    results: rows.map((row) => ({ ...row, attempts: row.attempts ?? [] })),
    pagination: { total: found.total, limit, offset },
  }
}

function conditions(runId: string, { testId, status, flaky, search }: ListResults) {
  const values: unknown[] = [runId]
  const where = ['run_id = $1']
  const add = (condition: (place: string) => string, value: unknown) => {
    values.push(value)
    where.push(condition(`$${values.length}`))
  }
  if (testId !== undefined) add((place) => `test_id = ${place}`, testId)
  if (status !== undefined) add((place) => `status = ${place}`, status)
  // The partial index is used only for the literal condition.
  if (flaky !== undefined) where.push(flaky ? `flaky AND status = 'passed'` : `NOT (flaky AND status = 'passed')`)
  if (search) {
    add((place) => `(${nameOrFileContains(place)})`, search)
  }
  return { where: where.join(' AND '), values }
}
