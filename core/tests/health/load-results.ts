import type { Context } from '../../base/context.ts'
import { keyOf, type TestKey } from './candidates.ts'
import type { JudgedRun } from './load-runs.ts'

/**
 * Reads the results of tests since the first of these runs, except skipped ones. A test that was merged into another
 * contributes to the other's results.
 *
 * @param columns - SQL of aggregates over the results of a test, in any order. Texts of all values are written and read
 *   several times faster than arrays and rows.
 * @returns the rows of each test that has results, one for each of its names
 */
export async function loadResults<Row>(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  runs: readonly JudgedRun[],
  tests: readonly TestKey[],
  columns: string,
): Promise<Map<string, Row[]>> {
  const [least] = runs.map(({ id }) => id).toSorted()
  if (least === undefined || tests.length === 0) return new Map()
  const rows = await db.query<(TestKey & Row)[]>(
    `WITH wanted AS (
       SELECT test_id, variant, test_id AS source FROM unnest($2::uuid[], $3::text[]) AS w (test_id, variant)
       UNION ALL
       SELECT w.test_id, w.variant, m.test_id
         FROM unnest($2::uuid[], $3::text[]) AS w (test_id, variant)
         JOIN (SELECT DISTINCT test_id, merged_into FROM tests WHERE project_id = $1 AND merged_into IS NOT NULL) AS m
           ON m.merged_into = w.test_id)
     SELECT w.test_id AS "testId", w.variant, r.*
       FROM wanted AS w
      CROSS JOIN LATERAL (
        SELECT ${columns} FROM test_results
         WHERE test_id = w.source AND variant = w.variant AND run_id >= $4 AND status <> 'skipped'
        HAVING count(*) > 0) AS r`,
    [projectId, tests.map(({ testId }) => testId), tests.map(({ variant }) => variant), least],
  )
  return Map.groupBy(rows, keyOf)
}

export const placesOf = (runs: readonly JudgedRun[]): Map<string, number> =>
  new Map(runs.map(({ id }, index) => [id, index]))
