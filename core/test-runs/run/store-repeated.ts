import type { Context } from '../../base/context.ts'
import { errorIdsOf } from '../../../engines/reports/describe-failures.ts'
import type { FailureText } from '../../../engines/reports/failure-text.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
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
  runner: TaskRunner,
  runId: string,
  tests: readonly UnsteadyTest[],
): Promise<number> {
  if (tests.length === 0) return 0
  const errorIds = await errorIdsOf(runner, tests.map(failureOf), { roots: [] })
  const attempts = tests.map(({ testId, failures }, index) => ({
    testId,
    errorId: errorIds[index],
    attempts: failures.slice(0, maxAttempts).map(({ message, durationMs }) => ({
      status: 'failed',
      durationMs,
      message: message?.slice(0, maxMessageLength) ?? null,
    })),
  }))
  const [rows] = await db.query<[{ status: string }[], number]>(
    `UPDATE test_results AS r SET attempts = coalesce(r.attempts, '[]') || w.attempts, flaky = true,
            error_id = coalesce(r.error_id, w."errorId")
       FROM jsonb_to_recordset($2) AS w ("testId" uuid, "errorId" uuid, attempts jsonb)
      WHERE r.run_id = $1 AND r.test_id = w."testId" AND r.status <> 'skipped' AND NOT r.flaky
      RETURNING r.status`,
    [runId, JSON.stringify(attempts)],
  )
  return rows.filter(({ status }) => status === 'passed').length
}

/** The last failure. Of its stack, repetitions keep only the innermost position in the project. */
function failureOf({ suite, file, failures }: UnsteadyTest): FailureText {
  const last = failures.at(-1)
  const stack = last?.place ? `    at ${last.place.file}:${last.place.line}:1` : null
  return { message: last?.message ?? null, stack, file, suite }
}
