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

/** Returns the names of tests as a run reported them. */
export async function loadNames(
  { db }: Pick<Context, 'db'>,
  tests: readonly TestInRun[],
): Promise<Map<string, TestNames>> {
  const rows = await db.query<(TestKey & TestNames)[]>(
    `SELECT w.test_id AS "testId", w.variant, r.suite, r.name, r.file
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (test_id, variant, run_id)
      CROSS JOIN LATERAL (
        SELECT suite, name, file FROM test_results
         WHERE run_id = w.run_id AND test_id = w.test_id AND variant = w.variant ORDER BY position LIMIT 1) AS r`,
    columnsOf(tests),
  )
  return new Map(rows.map(({ suite, name, file, ...test }) => [keyOf(test), { suite, name, file }]))
}

/** Returns how tests failed in a run. */
export async function loadFailures(
  { db }: Pick<Context, 'db'>,
  tests: readonly TestInRun[],
): Promise<Map<string, LastFailure>> {
  if (tests.length === 0) return new Map()
  const rows = await db.query<(TestKey & Omit<LastFailure, 'at'> & { at: Date })[]>(
    `SELECT w.test_id AS "testId", w.variant, run.id AS "runId", run.ran_at AS at, run.branch, run.commit_sha AS commit,
            r.error_id AS fingerprint, left(r.message, ${4 * maxMessageLength}) AS message
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (test_id, variant, run_id)
       JOIN test_runs AS run ON run.id = w.run_id
      CROSS JOIN LATERAL (
        SELECT error_id, message FROM test_results
         WHERE run_id = w.run_id AND test_id = w.test_id AND variant = w.variant AND (status = 'failed' OR flaky)
         ORDER BY status = 'failed' DESC, position LIMIT 1) AS r`,
    columnsOf(tests),
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

const columnsOf = (tests: readonly TestInRun[]) => [
  tests.map(({ testId }) => testId),
  tests.map(({ variant }) => variant),
  tests.map(({ runId }) => runId),
]
