import type { Context } from '../../base/context.ts'
import { copyRows } from '../../base/copy-rows.ts'
import { withoutStack } from '../../../engines/reports/attempts.ts'
import type { TestIdentities } from '../../../engines/reports/identity.ts'
import { noTests, type Totals } from '../../../engines/reports/totals.ts'
import { reportLimits } from '../../../engines/reports/report.ts'
import { cutText } from '../../../engines/reports/text.ts'
import type { ReadCase } from '../../../engines/reports/read-case.ts'

type Tx = Pick<Context, 'db' | 'signal'>

/**
 * Adds the test cases of one report to the results of a run, in the caller's transaction, and counts them.
 *
 * @param identify - returns the id of a test, which is the same in every run; use one function for all reports of a run
 * @param position - the position of the first case among the results of the run
 * @param variant - tells results of the same tests apart, such as those of another operating system
 */
export async function storeResults(
  tx: Tx,
  run: { id: string; position: number; variant: string; identify: (test: ReadCase) => string },
  cases: AsyncIterable<readonly ReadCase[]>,
): Promise<Totals> {
  const totals = { ...noTests }
  let position = run.position
  const rowOf = (test: ReadCase) => {
    const flaky = test.status === 'passed' && test.attempts.some(({ status }) => status === 'failed')
    totals.totalTests++
    totals[`${test.status}Tests`]++
    if (flaky) totals.flakyTests++
    return [
      run.id,
      position++,
      run.identify(test),
      test.suite,
      test.name,
      // The names are bounded when a report is read, but a path is read as it is. Searches read all three.
      test.file === null ? null : cutText(test.file, reportLimits.maxName),
      test.line,
      test.status,
      test.durationMs,
      test.message,
      test.stack,
      test.attempts.length === 0 ? null : JSON.stringify(test.attempts.map(withoutStack)),
      flaky,
      test.errorId ?? null,
      run.variant,
    ]
  }
  async function* rows() {
    for await (const batch of cases) yield batch.map(rowOf)
  }
  const columns =
    'run_id, position, test_id, suite, name, file, line, status, duration_ms, message, stack, attempts, flaky, error_id, variant'
  await copyRows(tx, `test_results (${columns})`, rows())
  return totals
}

/**
 * Stores the final ids of tests. Call it after all reports of a run are stored.
 *
 * @param position - the position of the first result that `identities` identified
 */
export async function correctIdentities(
  tx: Tx,
  runId: string,
  identities: TestIdentities,
  position = 0,
): Promise<void> {
  const corrections = identities.corrections()
  if (corrections.size === 0) return
  await tx.db.query(
    `UPDATE test_results AS t SET test_id = c.after
       FROM unnest($2::uuid[], $3::uuid[]) AS c (before, after)
      WHERE t.run_id = $1 AND t.position >= $4 AND t.test_id = c.before`,
    [runId, [...corrections.keys()], [...corrections.values()], position],
  )
}
