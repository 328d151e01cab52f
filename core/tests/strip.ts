import type { z } from 'zod'
import type { Context } from '../base/context.ts'
import { isJudged } from './health/load-runs.ts'
import type { StripResult, TestDay, TestDetail } from './schema.ts'

interface Test {
  projectId: string
  /** The ids under which the results of the test are stored: its own, and those that were merged into it. */
  ids: readonly string[]
  variant: string
}

interface Row {
  runId: string
  at: Date
  branch: string | null
  commit: string | null
  status: z.infer<typeof StripResult>['status']
  outage: string | null
  durationMs: number | null
  fingerprint: string | null
  position: number
}

const stripLength = 100
/** A test that the latest runs do not contain has an empty strip. */
const searchedRuns = 1_000
const maxErrors = 10
const maxMessageLength = 1_000

/** Returns the latest results of a test, newest first, one for each run. */
export function loadStrip({ db }: Pick<Context, 'db'>, { projectId, ids, variant }: Test): Promise<Row[]> {
  return db.query<Row[]>(
    `WITH runs AS MATERIALIZED (
       SELECT id, ran_at, branch, commit_sha, outage FROM test_runs
        WHERE project_id = $1 AND ${isJudged('test_runs')} ORDER BY ran_at DESC, id DESC LIMIT ${searchedRuns})
     SELECT runs.id AS "runId", runs.ran_at AS at, runs.branch, runs.commit_sha AS commit, runs.outage, r.*
       FROM runs CROSS JOIN LATERAL (
         SELECT CASE WHEN status = 'failed' THEN CASE WHEN muted THEN 'muted' ELSE 'failed' END
                     WHEN flaky THEN 'retried' ELSE 'passed' END AS status,
                duration_ms AS "durationMs", error_id AS fingerprint, position
           FROM test_results
          WHERE run_id = runs.id AND test_id = ANY ($2) AND variant = $3 AND status <> 'skipped'
          ORDER BY test_results.status = 'failed' DESC, flaky DESC, position LIMIT 1) AS r
      ORDER BY runs.ran_at DESC, runs.id DESC LIMIT ${stripLength}`,
    [projectId, ids, variant],
  )
}

export const presentStrip = (rows: readonly Row[]): z.infer<typeof StripResult>[] =>
  rows.map(({ runId, at, branch, commit, status, outage, durationMs }) => ({
    runId,
    at: at.toISOString(),
    branch,
    commit,
    status,
    outage,
    durationMs,
  }))

/** Groups the failures of a strip by their errors, the most frequent first, with the latest message of each. */
export async function loadErrors({ db }: Pick<Context, 'db'>, rows: readonly Row[]): Promise<TestDetail['errors']> {
  const groups = [
    ...Map.groupBy(
      rows.filter(({ status }) => status !== 'passed'),
      ({ fingerprint }) => fingerprint,
    ),
  ]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, maxErrors)
  const latest = groups.flatMap(([, [row]]) => (row ? [row] : []))
  const messages = await db.query<{ runId: string; message: string | null }[]>(
    `SELECT w.run_id AS "runId", left(r.message, ${maxMessageLength}) AS message
       FROM unnest($1::text[], $2::int[]) AS w (run_id, position)
       JOIN test_results AS r ON r.run_id = w.run_id AND r.position = w.position`,
    [latest.map(({ runId }) => runId), latest.map(({ position }) => position)],
  )
  const byRun = new Map(messages.map(({ runId, message }) => [runId, message]))
  return groups.flatMap(([fingerprint, [row, ...others]]) =>
    row
      ? [{ fingerprint, message: byRun.get(row.runId) ?? null, results: others.length + 1, latestRunId: row.runId }]
      : [],
  )
}

/** Returns the days on which the test ran, oldest first. */
export async function loadDays({ db }: Pick<Context, 'db'>, test: Test): Promise<z.infer<typeof TestDay>[]> {
  const rows = await db.query<z.infer<typeof TestDay>[]>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(runs)::int AS runs, sum(failures)::int AS failures, sum(muted)::int AS muted,
            sum(retried)::int AS retried, max(ms_p50) AS "p50Ms", max(ms_p95) AS "p95Ms"
       FROM test_days WHERE project_id = $1 AND test_id = ANY ($2) AND variant = $3
      GROUP BY test_days.day ORDER BY test_days.day DESC LIMIT 400`,
    [test.projectId, test.ids, test.variant],
  )
  return rows.toReversed()
}
