import type { Context } from '../../base/context.ts'
import type { TestKey } from './candidates.ts'

/** Results that are read to judge the tests of one step: a second or less. */
const maxResults = 400_000
const leastTests = 50
const mostTests = 1_000

/** Lists tests whose health must be judged, in the caller's transaction. */
export async function addUnjudged(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  tests: readonly TestKey[],
): Promise<void> {
  if (tests.length === 0) return
  await db.query(
    `INSERT INTO unjudged_tests (project_id, test_id, variant)
     SELECT $1, test_id, variant FROM unnest($2::uuid[], $3::text[]) AS w (test_id, variant)
     ON CONFLICT DO NOTHING`,
    [projectId, tests.map(({ testId }) => testId), tests.map(({ variant }) => variant)],
  )
}

/**
 * Takes tests off the list, in the transaction that judges them.
 *
 * @param runs - the number of runs whose results are read for each test
 */
export async function takeUnjudged(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  runs: number,
): Promise<{ tests: TestKey[]; isLeft: boolean }> {
  const limit = Math.max(leastTests, Math.min(mostTests, Math.floor(maxResults / Math.max(1, runs))))
  const [tests] = await db.query<[TestKey[], number]>(
    // An array, because Postgres may choose to repeat a subquery for each row of a table that it knows as empty.
    `DELETE FROM unjudged_tests
      WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM unjudged_tests WHERE project_id = $1 ORDER BY test_id, variant LIMIT ${limit} FOR UPDATE))
      RETURNING test_id AS "testId", variant`,
    [projectId],
  )
  return { tests, isLeft: tests.length === limit }
}
