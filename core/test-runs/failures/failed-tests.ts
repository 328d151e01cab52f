import type { Context } from '../../base/context.ts'

/** A failed test, one of the first of its group. */
export interface FailedTest {
  testId: string
  suite: string
  name: string
  file: string | null
  line: number | null
  message: string | null
  stack: string | null
  /** The number of its group, from 1: groups with new failures come first, then the largest. */
  group: number
  /** The number of tests in the group, and how many of them did not fail before. */
  groupTests: number
  groupNewTests: number
}

export interface FailedTests {
  tests: FailedTest[]
  failures: number
  newFailures: number
  groups: number
}

/** With less memory, hundreds of thousands of failures would go to the disk, or be looked up in a list one by one. */
const withRoom = <Result>(db: Context['db'], query: (tx: Context['db']) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx.query(`SET LOCAL work_mem = '64MB'`)
    return await query(tx)
  })

/**
 * Returns the failed tests of a run that are not muted, grouped by error and limited to what an answer can show, with the total counts.
 *
 * @param before - the run that decides which failures are new; if undefined, all are
 */
export async function findFailedTests(
  { db }: Pick<Context, 'db'>,
  {
    runId,
    before,
    maxGroups,
    maxTests,
  }: { runId: string; before: string | undefined; maxGroups: number; maxTests: number },
): Promise<FailedTests> {
  const rows = await withRoom(db, (tx) =>
    tx.query<(FailedTest & Omit<FailedTests, 'tests'>)[]>(
      `WITH groups AS MATERIALIZED (
       SELECT error_id, count(*)::int AS tests, count(*) FILTER (WHERE new)::int AS new_tests,
              (array_agg(position ORDER BY position) FILTER (WHERE new))[:$4] AS new_ones,
              (array_agg(position ORDER BY position) FILTER (WHERE NOT new))[:$4] AS others
         FROM (
           SELECT r.position, r.error_id,
                  (r.test_id IN (SELECT test_id FROM test_results WHERE run_id = $2 AND status = 'failed')) IS NOT TRUE AS new
             FROM test_results r
            WHERE r.run_id = $1 AND r.status = 'failed' AND NOT r.muted
           OFFSET 0 -- Otherwise, every aggregate would look up whether the test is new.
         ) AS failed
        GROUP BY error_id
     ), counts AS (
       SELECT sum(tests)::int AS failures, sum(new_tests)::int AS new_failures, count(error_id)::int AS groups FROM groups
     ), shown AS (
       SELECT tests, new_tests, (new_ones || others)[:$4] AS positions,
              row_number() OVER (ORDER BY new_tests = 0, tests DESC, error_id)::int AS number
         FROM groups ORDER BY number LIMIT $3
     ), chosen AS MATERIALIZED (
       SELECT number, tests, new_tests, position, place
         FROM shown, unnest(positions) WITH ORDINALITY AS first (position, place)
        LIMIT $3::bigint * $4::bigint
     )
     SELECT c.number AS "group", c.tests AS "groupTests", c.new_tests AS "groupNewTests", t.failures,
            t.new_failures AS "newFailures", t.groups, r.test_id AS "testId", r.suite, r.name, r.file, r.line,
            r.message, left(r.stack, 8000) AS stack
       FROM chosen c CROSS JOIN counts t JOIN test_results r ON r.run_id = $1 AND r.position = c.position
      ORDER BY c.number, c.place`,
      [runId, before ?? null, maxGroups, maxTests],
    ),
  )
  const [first] = rows
  if (!first) return { tests: [], failures: 0, newFailures: 0, groups: 0 }
  const { failures, newFailures, groups } = first
  return { tests: rows, failures, newFailures, groups }
}
