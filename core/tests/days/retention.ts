import type { Context } from '../../base/context.ts'
import { defaults } from '../../test-policy/load.ts'
import type { Retention } from '../../test-policy/schema.ts'
import { dropPartitions, resultsTable, type WeeklyTable } from '../../test-runs/results/partitions.ts'

export const daysTable: WeeklyTable = {
  name: 'test_days',
  key: 'day',
  keyOf: (day) => day.toISOString().slice(0, 10),
  timeOf: (key) => new Date(`${key}T00:00:00Z`),
}

const dayMs = 86_400_000
/** Runs whose results are deleted in one statement. */
const batch = 20

/**
 * Deletes results and daily counts that are older than their project keeps them. Weeks that no project keeps are dropped
 * with their partition; only projects that keep less than others have their rows deleted.
 */
export async function deleteOldResults(ctx: Context): Promise<void> {
  const kept = await loadRetention(ctx)
  const before = (days: number) => new Date(ctx.now().getTime() - days * dayMs)
  const longest = (of: (retention: Retention) => number) => Math.max(...kept.map(({ retention }) => of(retention)))
  const [resultDays, dailyDays] = [longest(({ resultDays: days }) => days), longest(({ dailyDays: days }) => days)]
  const dropped = await dropPartitions(ctx.db, resultsTable, before(resultDays))
  if (dropped) {
    await ctx.db.query('UPDATE test_runs SET results_deleted = true WHERE NOT results_deleted AND id < $1', [
      resultsTable.keyOf(dropped),
    ])
  }
  await dropPartitions(ctx.db, daysTable, before(dailyDays))
  for (const { projectId, retention } of kept) {
    if (projectId === null) continue
    if (retention.resultDays < resultDays) await deleteResults(ctx, projectId, before(retention.resultDays))
    if (retention.dailyDays < dailyDays) {
      await ctx.db.query('DELETE FROM test_days WHERE project_id = $1 AND day < $2', [
        projectId,
        daysTable.keyOf(before(retention.dailyDays)),
      ])
    }
  }
}

/** One entry for the defaults, and one for each project that differs from the longest of them. */
async function loadRetention({ db }: Context): Promise<{ projectId: string | null; retention: Retention }[]> {
  const rows = await db.query<{ projectId: string; retention: Partial<Retention> }[]>(
    `SELECT project_id AS "projectId", retention FROM test_policies WHERE retention <> '{}'`,
  )
  const own = rows.map(({ projectId, retention }) => ({
    projectId,
    retention: { ...defaults.retention, ...retention },
  }))
  const [usual] = await db.query<{ exists: boolean }[]>(
    `SELECT EXISTS (SELECT FROM projects WHERE id <> ALL ($1)) AS exists`,
    [rows.map(({ projectId }) => projectId)],
  )
  if (own.length > 0 && usual?.exists !== true) return own
  // Projects with the defaults keep less than a project that keeps one of both for longer.
  const others = own.some(({ retention }) => keepsLonger(retention, defaults.retention))
    ? await db.query<{ id: string }[]>('SELECT id FROM projects WHERE id <> ALL ($1)', [
        rows.map(({ projectId }) => projectId),
      ])
    : []
  return [
    { projectId: null, retention: defaults.retention },
    ...own,
    ...others.map(({ id }) => ({ projectId: id, retention: defaults.retention })),
  ]
}

const keepsLonger = (one: Retention, other: Retention) =>
  one.resultDays > other.resultDays || one.dailyDays > other.dailyDays

async function deleteResults({ db, signal }: Context, projectId: string, limit: Date): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const runs = await db.query<{ id: string }[]>(
      `SELECT id FROM test_runs WHERE project_id = $1 AND NOT results_deleted AND id < $2 ORDER BY id LIMIT ${batch}`,
      [projectId, resultsTable.keyOf(limit)],
    )
    const ids = runs.map(({ id }) => id)
    if (ids.length === 0) return
    await db.query('DELETE FROM test_results WHERE run_id = ANY ($1)', [ids])
    await db.query('UPDATE test_runs SET results_deleted = true WHERE id = ANY ($1)', [ids])
  }
}
