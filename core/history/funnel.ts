import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { Verdict } from '../../engines/verdicts/schema.ts'
import type { Funnel, GetFunnel } from './schema.ts'
import { firstDay } from './trends.ts'

interface Row extends Omit<Funnel['stages'], 'proposed'> {
  verdict: Verdict
  tests: number
  due: number
}

/** How long a kept test must exist until the funnel asks whether it still passes. */
const judgedAfter = `interval '30 days'`

/** Counts how far the tests came that were verified in a period, from a proposal to a test that is kept and passes. */
export async function getFunnel(ctx: Context, input: GetFunnel): Promise<Funnel> {
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const since = firstDay(ctx.now(), input.days)
  const rows = await countTests(ctx, project, since)
  const sum = (count: (row: Row) => number) => rows.reduce((total, row) => total + count(row), 0)
  const testsOf = new Map(rows.map(({ verdict, tests }) => [verdict, tests]))
  return {
    since: since.toISOString(),
    stages: {
      proposed: sum(({ tests }) => tests),
      built: sum(({ built }) => built),
      stable: sum(({ stable }) => stable),
      gaining: sum(({ gaining }) => gaining),
      killing: sum(({ killing }) => killing),
      kept: sum(({ kept }) => kept),
      passingAfter30Days: sum((row) => row.passingAfter30Days),
    },
    dueAfter30Days: sum(({ due }) => due),
    verdicts: Object.fromEntries(Verdict.options.map((verdict) => [verdict, testsOf.get(verdict) ?? 0])) as Record<
      Verdict,
      number
    >,
  }
}

/** Counts the tests of each verdict. Of several verifications of a test, the latest counts. */
function countTests({ db, now }: Context, project: { id: string; branch: string }, since: Date): Promise<Row[]> {
  // Of several versions of a file, only the last one can be the one that was kept. The newest run that reports the file
  // decides everything: whether the test was kept, and whether it still passes.
  return db.query<Row[]>(
    `WITH verified AS MATERIALIZED (
       SELECT DISTINCT ON (file_path, test_key) id, file_path, verdict, completed_at, gains_coverage, kills_mutants
         FROM verifications
        WHERE project_id = $1 AND created_at >= $3 AND status = 'completed' AND verdict IS NOT NULL
        ORDER BY file_path, test_key, id DESC),
     tests AS MATERIALIZED (
       SELECT *, verdict NOT IN ('not_built', 'flaky') AS stable, completed_at + ${judgedAfter} AS due_at,
              id = max(id) OVER (PARTITION BY file_path) AS is_last
         FROM verified),
     followed AS MATERIALIZED (
       SELECT tests.*, coalesce(newest.created_at > completed_at, false) AS is_kept,
              newest.created_at >= due_at AND newest.failed = 0 AS is_passing
         FROM tests
         LEFT JOIN LATERAL (
           SELECT run.created_at, file.failed
             FROM test_run_files AS file JOIN test_runs AS run ON run.id = file.run_id
            WHERE file.project_id = $1 AND file.file = tests.file_path AND tests.is_last AND tests.stable
              AND run.branch = $2 AND run.snapshot_id IS NULL AND run.with_secrets
            ORDER BY file.run_id DESC LIMIT 1) AS newest ON true)
     SELECT verdict, count(*)::int AS tests,
            count(*) FILTER (WHERE verdict <> 'not_built')::int AS built,
            count(*) FILTER (WHERE stable)::int AS stable,
            count(*) FILTER (WHERE stable AND gains_coverage)::int AS gaining,
            count(*) FILTER (WHERE stable AND kills_mutants)::int AS killing,
            count(*) FILTER (WHERE is_kept)::int AS kept,
            count(*) FILTER (WHERE is_kept AND due_at <= $4)::int AS due,
            count(*) FILTER (WHERE is_kept AND is_passing)::int AS "passingAfter30Days"
       FROM followed GROUP BY verdict`,
    [project.id, project.branch, since, now()],
  )
}
