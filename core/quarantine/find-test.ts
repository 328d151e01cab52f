import type { Context } from '../base/context.ts'

interface FoundTest {
  testId: string
  variant: string
  suite: string
  name: string
  file: string | null
}

/**
 * Finds a test of a project, also one whose health was not judged yet, and for a merged test the one that it was merged
 * into. Without a variant, finds the one that needs attention most.
 */
export async function findTest(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  testId: string,
  variant: string | undefined,
): Promise<FoundTest | undefined> {
  const columns = 'test_id AS "testId", variant, suite, name, file'
  const [judged] = await db.query<FoundTest[]>(
    `SELECT ${columns} FROM tests WHERE project_id = $1 AND ($3::text IS NULL OR variant = $3) AND test_id = coalesce(
        (SELECT merged_into FROM tests WHERE project_id = $1 AND test_id = $2 AND merged_into IS NOT NULL LIMIT 1), $2)
      ORDER BY array_position(ARRAY['broken', 'flaky', 'new', 'healthy', 'stale'], health), variant LIMIT 1`,
    [projectId, testId, variant ?? null],
  )
  if (judged) return judged
  const [reported] = await db.query<FoundTest[]>(
    `SELECT r.* FROM (SELECT id FROM test_runs WHERE project_id = $1 AND status = 'COMPLETED' ORDER BY id DESC LIMIT 20) AS run
      CROSS JOIN LATERAL (
        SELECT ${columns} FROM test_results
         WHERE run_id = run.id AND test_id = $2 AND ($3::text IS NULL OR variant = $3) LIMIT 1) AS r
      LIMIT 1`,
    [projectId, testId, variant ?? null],
  )
  return reported
}
