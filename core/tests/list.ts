import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { nameOrFileContains } from '../test-runs/results/name-or-file.ts'
import { isOpenQuarantine, openQuarantine, presentTest, testColumns, type TestRow } from './present.ts'
import type { Health, ListTests, TestsPage } from './schema.ts'

const orders: Record<ListTests['sort'], string> = {
  impact: 't.impact DESC, t.test_id, t.variant',
  rate: 't.failure_rate DESC, t.test_id, t.variant',
  recent: 't.changed_at DESC, t.test_id, t.variant',
  slowest: 't.p50_ms DESC NULLS LAST, t.test_id, t.variant',
  name: 't.suite, t.name, t.test_id, t.variant',
}

const quarantines: Record<NonNullable<ListTests['quarantine']>, string> = {
  active: `q.status = 'active'`,
  requested: `q.status = 'requested'`,
  none: 'q.status IS NULL',
}

const maxProblems = 10

/** Lists the tests of a project with their health, by default those with the most impact first. */
export async function listTests(ctx: Context, input: ListTests): Promise<TestsPage> {
  const { limit, offset, sort } = input
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const { where, values } = conditions(projectId, input)
  const from = `FROM tests AS t ${input.quarantine === undefined ? '' : openQuarantine} WHERE ${where}`
  const [counts, outages, rows, [{ total } = { total: 0 }], [open], [codeowners = null]] = await Promise.all([
    countByHealth(ctx, projectId),
    countOutages(ctx, projectId),
    ctx.db.query<TestRow[]>(
      `SELECT ${testColumns} FROM (SELECT t.* ${from} ORDER BY ${orders[sort]} LIMIT $${values.length + 1} OFFSET $${values.length + 2}) AS t
       ${openQuarantine} ORDER BY ${orders[sort]}`,
      [...values, limit, offset],
    ),
    ctx.db.query<{ total: number }[]>(`SELECT count(*)::int AS total ${from}`, values),
    ctx.db.query<[{ quarantined: number; requested: number }]>(
      `WITH open AS (SELECT test_id, variant, status FROM quarantines WHERE project_id = $1 AND ${isOpenQuarantine})
       SELECT (SELECT count(*)::int FROM open WHERE status = 'requested') AS requested,
              (SELECT count(DISTINCT (t.test_id, t.variant))::int
                 FROM open JOIN tests AS t ON t.project_id = $1 AND t.test_id = open.test_id
                  AND (open.variant IS NULL OR open.variant = t.variant)
                WHERE status = 'active' AND t.merged_into IS NULL) AS quarantined`,
      [projectId],
    ),
    ctx.db.query<NonNullable<TestsPage['codeowners']>[]>(
      `SELECT path, jsonb_path_query_array(problems, '$[0 to ${maxProblems - 1}]') AS problems FROM codeowners
        WHERE project_id = $1 AND path IS NOT NULL`,
      [projectId],
    ),
  ])
  return {
    tests: rows.map((row) => presentTest(ctx, row)),
    outages,
    counts,
    codeowners,
    ...open,
    pagination: { total, limit, offset },
  }
}

function conditions(projectId: string, { health, quarantine, owner, search, notable }: ListTests) {
  const values: unknown[] = [projectId]
  const where = ['t.project_id = $1', 't.merged_into IS NULL']
  const add = (condition: (place: string) => string, value: unknown) => {
    values.push(value)
    where.push(condition(`$${values.length}`))
  }
  if (health) add((place) => `t.health = ANY (${place})`, health)
  if (owner) add((place) => `t.owners @> ARRAY[${place}]`, owner)
  if (search) add((place) => `(${nameOrFileContains(place)})`, search)
  if (notable === true) where.push(`(t.health <> 'healthy' OR t.failures > 0)`)
  if (quarantine) where.push(quarantines[quarantine])
  return { where: where.join(' AND '), values }
}

async function countOutages({ db, now }: Context, projectId: string): Promise<number> {
  const [row] = await db.query<{ runs: number }[]>(
    `SELECT count(*)::int AS runs FROM test_runs
      WHERE project_id = $1 AND outage = 'mass' AND ran_at > $2::timestamptz - interval '30 days'`,
    [projectId, now()],
  )
  return row?.runs ?? 0
}

async function countByHealth({ db }: Context, projectId: string): Promise<Record<Health, number>> {
  const rows = await db.query<{ health: Health; tests: number }[]>(
    `SELECT health, count(*)::int AS tests FROM tests WHERE project_id = $1 AND merged_into IS NULL GROUP BY health`,
    [projectId],
  )
  const counts = { new: 0, healthy: 0, flaky: 0, broken: 0, stale: 0 }
  for (const { health, tests } of rows) counts[health] = tests
  return counts
}
