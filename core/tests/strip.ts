import type { z } from 'zod'
import type { Context } from '../base/context.ts'
import { lastFailedAttempt } from './health/describe-tests.ts'
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
}

const stripLength = 100
/** A test that the latest runs do not contain has an empty strip. */
const searchedRuns = 1_000
const maxErrors = 10
const maxMessageLength = 1_000

/** Returns the latest results of a test, newest first, one for each run. */
export function loadStrip({ db }: Pick<Context, 'db'>, { projectId, ids, variant }: Test): Promise<Row[]> {
  // One range of the index of the test, instead of a look into it for each run.
  return db.query<Row[]>(
    `WITH runs AS MATERIALIZED (
       SELECT id, ran_at, branch, commit_sha, outage FROM test_runs
        WHERE project_id = $1 AND ${isJudged('test_runs')} ORDER BY ran_at DESC, id DESC LIMIT ${searchedRuns}),
     results AS MATERIALIZED (
       SELECT run_id, status, flaky, muted, duration_ms, error_id FROM test_results
        WHERE test_id = ANY ($2) AND run_id >= (SELECT min(id) FROM runs) AND variant = $3 AND status <> 'skipped')
     SELECT * FROM (
       SELECT DISTINCT ON (runs.ran_at, runs.id) runs.id AS "runId", runs.ran_at AS at, runs.branch, runs.commit_sha AS commit,
              runs.outage, duration_ms AS "durationMs", error_id AS fingerprint,
              CASE WHEN status = 'failed' THEN CASE WHEN muted THEN 'muted' ELSE 'failed' END
                   WHEN flaky THEN 'retried' ELSE 'passed' END AS status
         FROM runs JOIN results ON results.run_id = runs.id
        ORDER BY runs.ran_at DESC, runs.id DESC, results.status = 'failed' DESC, flaky DESC) AS strip
      LIMIT ${stripLength}`,
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

/** Groups the failures of a strip that count by their errors, the most frequent first, with the latest message of each. */
export async function loadErrors(
  { db }: Pick<Context, 'db'>,
  { ids, variant }: Test,
  rows: readonly Row[],
): Promise<TestDetail['errors']> {
  const failed = rows.filter(({ status, outage }) => status !== 'passed' && outage !== 'mass')
  const groups = [...Map.groupBy(failed, ({ fingerprint }) => fingerprint)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, maxErrors)
  const messages = await db.query<{ runId: string; message: string | null }[]>(
    `SELECT DISTINCT ON (run_id) run_id AS "runId",
            left(coalesce(message, ${lastFailedAttempt('test_results')} ->> 'message'), ${maxMessageLength}) AS message
       FROM test_results
      WHERE test_id = ANY ($1) AND variant = $2 AND run_id = ANY ($3)
      ORDER BY run_id, status = 'failed' DESC, position`,
    [ids, variant, groups.flatMap(([, [latest]]) => latest?.runId ?? [])],
  )
  const byRun = new Map(messages.map(({ runId, message }) => [runId, message]))
  return groups.flatMap(([fingerprint, [latest, ...others]]) =>
    latest
      ? [
          {
            fingerprint,
            message: byRun.get(latest.runId) ?? null,
            results: others.length + 1,
            latestRunId: latest.runId,
          },
        ]
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
