import type { Context } from '../../base/context.ts'
import { cutText } from '../../../engines/reports/text.ts'
import { keyOf, type TestKey } from './candidates.ts'

export interface TestNames {
  suite: string
  name: string
  file: string | null
}

/** Where and how a test failed last. */
export interface LastFailure {
  runId: string
  at: string
  branch: string | null
  commit: string | null
  fingerprint: string | null
  message: string | null
}

/** A test in a run. */
export interface TestInRun extends TestKey {
  runId: string
}

const maxMessageLength = 1_000

/** Returns the names of tests as a run reported them; of one that the run has under an earlier name, those of other runs. */
export async function loadNames(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  tests: readonly TestInRun[],
): Promise<Map<string, TestNames>> {
  const rows = await db.query<(TestKey & TestNames)[]>(
    `SELECT w.test_id AS "testId", w.variant, r.suite, r.name, r.file
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (test_id, variant, run_id)
      CROSS JOIN LATERAL (
        SELECT suite, name, file FROM (${resultsOfOne('true')}) AS results ORDER BY position LIMIT 1) AS r`,
    columnsOf(tests),
  )
  const names = new Map(rows.map(({ suite, name, file, ...test }) => [keyOf(test), { suite, name, file }]))
  const others = tests.filter((test) => !names.has(keyOf(test)))
  if (others.length === 0) return names
  const known = await db.query<(TestNames & { testId: string })[]>(
    `SELECT DISTINCT ON (test_id) test_id AS "testId", suite, name, file FROM tests
      WHERE project_id = $1 AND test_id = ANY ($2) ORDER BY test_id, last_seen_at DESC`,
    [projectId, others.map(({ testId }) => testId)],
  )
  const byId = new Map(known.map(({ testId, ...each }) => [testId, each]))
  for (const test of others) {
    const found = byId.get(test.testId)
    if (found) names.set(keyOf(test), found)
  }
  return names
}

/** Returns how tests failed in a run, also under earlier names that were merged into theirs. */
export async function loadFailures(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  tests: readonly TestInRun[],
): Promise<Map<string, LastFailure>> {
  if (tests.length === 0) return new Map()
  const rows = await db.query<(TestKey & Omit<LastFailure, 'at'> & { at: Date })[]>(
    `SELECT w.test_id AS "testId", w.variant, run.id AS "runId", run.ran_at AS at, run.branch, run.commit_sha AS commit,
            r.error_id AS fingerprint,
            left(coalesce(r.message, ${lastFailedAttempt('r')} ->> 'message'), ${4 * maxMessageLength}) AS message
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (test_id, variant, run_id)
       JOIN test_runs AS run ON run.id = w.run_id
      CROSS JOIN LATERAL (
        SELECT error_id, message, attempts
          FROM (SELECT w.test_id UNION SELECT test_id FROM tests WHERE project_id = $4 AND merged_into = w.test_id) AS source
         CROSS JOIN LATERAL (${resultsOfOne(`status = 'failed' OR flaky`, 'source')}) AS results
         ORDER BY status = 'failed' DESC, position LIMIT 1) AS r`,
    [...columnsOf(tests), projectId],
  )
  return new Map(
    rows.map(({ testId, variant, at, message, ...failure }) => [
      keyOf({ testId, variant }),
      {
        ...failure,
        at: at.toISOString(),
        message: message === null ? null : cutText(message.trim(), maxMessageLength),
      },
    ]),
  )
}

/** SQL of the last failed attempt of a result `r`: it says why a test that passed counts as flaky. */
export const lastFailedAttempt = (r: string) =>
  `jsonb_path_query_first(jsonb_path_query_array(${r}.attempts, '$[*] ? (@.status == "failed")'), '$[last]')`

/**
 * SQL of the results of a test in a run. Without the offset, the order by position would make Postgres read all results of
 * the run to find one.
 */
const resultsOfOne = (condition: string, test = 'w') => `
  SELECT suite, name, file, error_id, message, attempts, status, position FROM test_results
   WHERE test_id = ${test}.test_id AND run_id = w.run_id AND variant = w.variant AND (${condition}) OFFSET 0`

const columnsOf = (tests: readonly TestInRun[]) => [
  tests.map(({ testId }) => testId),
  tests.map(({ variant }) => variant),
  tests.map(({ runId }) => runId),
]
