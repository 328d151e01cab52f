import type { Context } from '../../base/context.ts'
import { standsForTests } from '../../../engines/test-plan/select.ts'
import { type CommandError, describeNames } from '../../workspaces/command-error.ts'
import type { TestRunRow } from '../entity.ts'

/**
 * Returns the error of a run that reported no result for some of the tests that it was asked for: a rerun of failed
 * tests must not pass because one of them has another name now. Null if all have results.
 */
export async function missingTestsError(
  { db }: Pick<Context, 'db'>,
  { id, selection }: Pick<TestRunRow, 'id' | 'selection'>,
): Promise<CommandError | null> {
  const wanted = selection?.tests.filter((test) => !standsForTests(test)) ?? []
  if (wanted.length === 0) return null
  const missing = await db.query<{ name: string }[]>(
    `SELECT DISTINCT name FROM unnest($2::text[], $3::text[]) AS wanted (suite, name)
      WHERE NOT EXISTS (SELECT FROM test_results r WHERE r.run_id = $1 AND r.suite = wanted.suite AND r.name = wanted.name)
      ORDER BY name`,
    [id, wanted.map(({ suite }) => suite), wanted.map(({ name }) => name)],
  )
  if (missing.length === 0) return null
  const names = describeNames(missing.map(({ name }) => name))
  return {
    code: 'no_tests',
    message: `${missing.length} of the ${wanted.length} selected tests did not run: ${names}. Check that they exist under these names.`,
    seeOutput: true,
  }
}
