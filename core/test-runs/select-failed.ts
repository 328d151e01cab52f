import type { Context } from '../base/context.ts'
import type { Selection } from './schema.ts'

/** Beyond this many, whole files are run again. */
const maxTests = 500
/** Beyond this many files, everything is. */
const maxFiles = 500

/** What failed in a run, to be run again: the tests, where these are very many their files, or null for everything. */
export async function selectFailed({ db }: Pick<Context, 'db'>, runId: string): Promise<Selection | null> {
  const tests = await db.query<Selection['tests']>(
    `SELECT DISTINCT suite, name, file FROM test_results WHERE run_id = $1 AND status = 'failed' LIMIT $2`,
    [runId, maxTests + 1],
  )
  if (tests.length <= maxTests) return { paths: [], tests }
  const files = await db.query<{ file: string | null }[]>(
    `SELECT DISTINCT file FROM test_results WHERE run_id = $1 AND status = 'failed' LIMIT $2`,
    [runId, maxFiles + 1],
  )
  const paths = files.map(({ file }) => file).filter((file) => file !== null)
  // A test whose file nobody knows can only be met by running everything.
  return paths.length < files.length || paths.length > maxFiles ? null : { paths, tests: [] }
}
