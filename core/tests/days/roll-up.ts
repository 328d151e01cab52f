import { type Context, inTransaction } from '../../base/context.ts'
import { requestProjectHealth } from '../../test-runs/request-health.ts'
import { isJudged } from '../health/load-runs.ts'

/**
 * Computes the counts and durations per test of days (UTC) that have ended, from their results. A day whose results
 * change later is computed again.
 */
export async function rollUpDays(ctx: Context): Promise<void> {
  const days = await ctx.db.query<{ projectId: string; day: string }[]>(
    `SELECT project_id AS "projectId", to_char(day, 'YYYY-MM-DD') AS day FROM unrolled_days
      WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date ORDER BY day`,
    [ctx.now()],
  )
  for (const { projectId, day } of days) {
    ctx.signal.throwIfAborted()
    await inTransaction(ctx, (tx) => rollUp(tx, projectId, day))
  }
  // Failures of more than 30 days ago no longer count as impact.
  for (const projectId of new Set(days.map((each) => each.projectId))) {
    await inTransaction(ctx, (tx) => requestProjectHealth(tx, projectId))
  }
}

async function rollUp({ db }: Context, projectId: string, day: string): Promise<void> {
  const [, taken] = await db.query<[unknown, number]>('DELETE FROM unrolled_days WHERE project_id = $1 AND day = $2', [
    projectId,
    day,
  ])
  // Another process has computed it meanwhile, or the project was deleted.
  if (taken === 0) return
  const ofDay = `run.project_id = $1 AND run.ran_at >= $2::date::timestamp AT TIME ZONE 'UTC'
        AND run.ran_at < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'`
  const [{ isDeleted }] = await db.query<[{ isDeleted: boolean }]>(
    `SELECT EXISTS (SELECT FROM test_runs AS run WHERE ${ofDay} AND results_deleted) AS "isDeleted"`,
    [projectId, day],
  )
  // The results are gone, and the counts from them must stay.
  if (isDeleted) return
  await db.query('DELETE FROM test_days WHERE project_id = $1 AND day = $2', [projectId, day])
  const has = (condition: string) => `count(*) FILTER (WHERE ${condition})::int`
  const isDefault = 'run.branch = (SELECT branch FROM projects WHERE id = $1) AND run.pull_request IS NULL'
  const quantile = (share: number) =>
    `percentile_disc(${share}) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE r.status = 'passed')`
  await db.query(
    `INSERT INTO test_days (project_id, test_id, variant, day, runs, failures, muted, retried, skipped, default_runs,
                            default_failures, ms_sum, ms_p50, ms_p95)
     SELECT $1, r.test_id, r.variant, $2::date, ${has(`r.status <> 'skipped'`)}, ${has(`r.status = 'failed' AND NOT r.muted`)},
            ${has(`r.status = 'failed' AND r.muted`)}, ${has('r.flaky')}, ${has(`r.status = 'skipped'`)},
            ${has(`r.status <> 'skipped' AND ${isDefault}`)}, ${has(`r.status = 'failed' AND ${isDefault}`)},
            sum(duration_ms), ${quantile(0.5)}, ${quantile(0.95)}
       FROM test_runs AS run JOIN test_results AS r ON r.run_id = run.id
      WHERE ${ofDay} AND ${isJudged('run')} AND run.outage IS DISTINCT FROM 'mass'
      GROUP BY r.test_id, r.variant`,
    [projectId, day],
  )
}
