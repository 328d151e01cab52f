import type { Context } from '../../base/context.ts'
import type { UnsteadyTest } from './repeat-new-tests.ts'

const maxAttempts = 10
const maxMessageLength = 4_000

/**
 * Adds the failures of repetitions to the results of new tests, in the caller's transaction. The status of the first run
 * stays; a test that passed at first counts as flaky.
 *
 * @returns the number of passed results that count as flaky now
 */
export async function storeRepeated(
  { db }: Pick<Context, 'db'>,
  runId: string,
  tests: readonly UnsteadyTest[],
): Promise<number> {
  if (tests.length === 0) return 0
  const attempts = tests.map(({ testId, failures }) => ({
    testId,
    attempts: failures.slice(0, maxAttempts).map(({ message, durationMs }) => ({
      status: 'failed',
      durationMs,
      message: message?.slice(0, maxMessageLength) ?? null,
    })),
  }))
  const [rows] = await db.query<[{ status: string }[], number]>(
    `UPDATE test_results AS r SET attempts = coalesce(r.attempts, '[]') || w.attempts, flaky = true
       FROM jsonb_to_recordset($2) AS w ("testId" uuid, attempts jsonb)
      WHERE r.run_id = $1 AND r.test_id = w."testId" AND r.status <> 'skipped' AND NOT r.flaky
      RETURNING r.status`,
    [runId, JSON.stringify(attempts)],
  )
  return rows.filter(({ status }) => status === 'passed').length
}
