import type { Context } from '../../base/context.ts'
import { storeTestFiles } from '../results/store-files.ts'
import type { LeftOutTest } from './leave-out.ts'

/**
 * Adds the tests that quarantine left out to the results of a run as skipped, in the caller's transaction. Call it after
 * the ids of the tests are final. A runner may have reported them as skipped itself. A test whose file is gone is none
 * of the commit.
 *
 * @param position - the position after the last result
 * @returns the number of added results
 */
export async function storeLeftOut(
  { db }: Pick<Context, 'db'>,
  runId: string,
  tests: readonly LeftOutTest[],
  { position, paths, mask }: { position: number; paths: readonly string[]; mask: (text: string) => string },
): Promise<number> {
  const files = new Set(paths)
  const present = tests
    .filter(({ file }) => file === null || files.has(file))
    .map((test, index) => ({ ...test, message: mask(test.because), position: position + index }))
  if (present.length === 0) return 0
  const given = `jsonb_to_recordset($2) AS w ("testId" uuid, variant text, suite text, name text, file text, message text, position int)`
  await db.query(
    `UPDATE test_results AS r SET muted = true, message = coalesce(r.message, w.message) FROM ${given}
      WHERE r.run_id = $1 AND r.test_id = w."testId" AND r.variant = w.variant AND r.status = 'skipped'`,
    [runId, JSON.stringify(present)],
  )
  const added = await db.query<unknown[]>(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, file, status, message, flaky, muted, variant)
     SELECT $1, w.position, w."testId", w.suite, w.name, w.file, 'skipped', w.message, false, true, w.variant FROM ${given}
      WHERE NOT EXISTS (
        SELECT FROM test_results AS r WHERE r.run_id = $1 AND r.test_id = w."testId" AND r.variant = w.variant)
     RETURNING position`,
    [runId, JSON.stringify(present)],
  )
  if (added.length > 0) await storeTestFiles({ db }, runId)
  return added.length
}
