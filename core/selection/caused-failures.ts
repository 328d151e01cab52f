import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'

/** A run of all tests of a commit. */
export interface WholeRun {
  id: string
  branch: string | null
  commitSha: string
  pullRequest: number | null
  ranAt: Date
}

export interface FailedTest {
  suite: string
  name: string
  file: string | null
}

interface Row extends FailedTest {
  was: 'passed' | 'failed' | 'skipped' | null
}

/**
 * Finds the tests that failed in a run because of its change: they passed before, and are not flaky or muted. A test that
 * is new counts as well.
 *
 * @returns null if no earlier run shows how the tests were before
 */
export async function findCaused(
  { db }: Pick<Context, 'db'>,
  project: Pick<ProjectRow, 'id' | 'branch'>,
  run: WholeRun,
  baseSha: string,
): Promise<FailedTest[] | null> {
  const [earlier] = await db.query<{ id: string }[]>(
    `SELECT id FROM test_runs WHERE ${isEarlier} ORDER BY commit_sha = $3 DESC, ran_at DESC, id DESC LIMIT 1`,
    [project.id, project.branch, baseSha, run.ranAt, run.id],
  )
  if (!earlier) return null
  const rows = await db.query<Row[]>(
    `SELECT DISTINCT ON (r.test_id, r.variant) r.suite, r.name, r.file, before.status AS was
       FROM test_results AS r
       LEFT JOIN LATERAL (
         SELECT b.status, b.flaky FROM test_results AS b JOIN test_runs AS t ON t.id = b.run_id
          WHERE b.test_id = r.test_id AND b.variant = r.variant AND b.run_id IN (SELECT id FROM test_runs WHERE ${isEarlier})
          ORDER BY t.commit_sha = $3 DESC, t.ran_at DESC, t.id DESC LIMIT 1) AS before ON true
      WHERE r.run_id = $5 AND r.status = 'failed' AND NOT r.muted
        AND NOT EXISTS (SELECT FROM tests WHERE project_id = $1 AND test_id = r.test_id AND health = 'flaky')
      ORDER BY r.test_id, r.variant`,
    [project.id, project.branch, baseSha, run.ranAt, run.id],
  )
  return rows.flatMap(({ was, ...test }) => (was === 'failed' ? [] : test))
}

/** SQL condition on rows of `test_runs`: runs of all tests of the base, or of the branch of the project, before a run. */
const isEarlier = `project_id = $1 AND (branch = $2 OR commit_sha = $3) AND status = 'COMPLETED' AND total_tests > 0
  AND snapshot_id IS NULL AND selection IS NULL AND with_secrets AND ran_at > $4::timestamptz - interval '30 days' AND (ran_at, id) < ($4, $5)`
