import type { ConfirmedFix } from '../../../engines/health/judge.ts'
import type { Context } from '../../base/context.ts'
import { keyOf, type TestKey } from './candidates.ts'
import { isJudged } from './load-runs.ts'

/** Returns the confirmed fixes of each test whose commits the default branch contains, oldest first. */
export async function loadFixes(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  tests: readonly TestKey[],
): Promise<Map<string, ConfirmedFix[]>> {
  const rows = await db.query<(TestKey & { at: Date; runId: string; commit: string })[]>(
    `SELECT c.test_id AS "testId", c.variant, c.merged_at AS at,
            coalesce(c.merged_run, (
              SELECT id FROM test_runs
               WHERE project_id = $1 AND ${isJudged('test_runs')} AND branch = p.branch AND pull_request IS NULL AND commit_sha = c.commit_sha
               ORDER BY ran_at, id LIMIT 1), '') AS "runId",
            -- The commit of a snapshot is in no repository.
            CASE WHEN c.snapshot_id IS NULL THEN c.commit_sha ELSE coalesce(run.commit_sha, c.commit_sha) END AS commit
       FROM test_confirmations AS c
       JOIN unnest($2::uuid[], $3::text[]) AS w (test_id, variant) USING (test_id, variant)
       JOIN projects AS p ON p.id = c.project_id
       LEFT JOIN test_runs AS run ON run.id = c.merged_run
      WHERE c.project_id = $1 AND c.verdict = 'confirmed' AND c.merged_at IS NOT NULL
      ORDER BY c.merged_at, c.id`,
    [projectId, tests.map(({ testId }) => testId), tests.map(({ variant }) => variant)],
  )
  const fixes = Map.groupBy(rows, keyOf)
  return new Map([...fixes].map(([key, each]) => [key, each.map(({ at, ...fix }) => ({ ...fix, at: at.getTime() }))]))
}
