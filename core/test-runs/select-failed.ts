import type { Context } from '../base/context.ts'
import type { Selection } from './schema.ts'

/** Above this number of tests, the rerun selects whole files. */
const maxTests = 500
/** Above this number of files, the rerun runs everything. */
const maxFiles = 500

/** Selects the failed tests of a run that are not muted, or their files if there are very many tests. Returns null to select everything. */
export async function selectFailed({ db }: Pick<Context, 'db'>, runId: string): Promise<Selection | null> {
  const tests = await db.query<Selection['tests']>(
    `SELECT DISTINCT suite, name, file FROM test_results WHERE run_id = $1 AND status = 'failed' AND NOT muted LIMIT $2`,
    [runId, maxTests + 1],
  )
  if (tests.length <= maxTests) return { paths: [], tests }
  const files = await db.query<{ file: string | null }[]>(
    `SELECT DISTINCT file FROM test_results WHERE run_id = $1 AND status = 'failed' AND NOT muted LIMIT $2`,
    [runId, maxFiles + 1],
  )
  const paths = files.map(({ file }) => file).filter((file) => file !== null)
  // If the file of a test is unknown, only a complete run includes the test.
  return paths.length < files.length || paths.length > maxFiles ? null : { paths, tests: [] }
}
