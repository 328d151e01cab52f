import type { Context } from '../base/context.ts'
import type { Selection } from './schema.ts'

/** Above this number of tests, the rerun selects whole files. */
const maxTests = 500
/** Above this number of files, the rerun runs everything. */
const maxFiles = 500

/** Selects the failed tests of a run that are not muted, or their files if there are very many tests. Returns null to select everything. */
export async function selectFailed({ db }: Pick<Context, 'db'>, runId: string): Promise<Selection | null> {
  // Usually the first rows show already that there are too many, and the others need not be read.
  const first = await distinctTests(db, runId, 4 * maxTests)
  if (first.length <= maxTests) {
    const tests = await distinctTests(db, runId, null)
    if (tests.length <= maxTests) return { paths: [], tests }
  }
  if ((await distinctFiles(db, runId, 4 * maxFiles)).length > maxFiles) return null
  const files = await distinctFiles(db, runId, null)
  const paths = files.map(({ file }) => file).filter((file) => file !== null)
  // If the file of a test is unknown, only a complete run includes the test.
  return paths.length < files.length || paths.length > maxFiles ? null : { paths, tests: [] }
}

const failedRows = `
  SELECT suite, name, file FROM test_results WHERE run_id = $1 AND status = 'failed' AND NOT muted
   ORDER BY position LIMIT $3`

/** @param among - only the first failures; null for all */
const distinctTests = (db: Context['db'], runId: string, among: number | null) =>
  db.query<Selection['tests']>(`SELECT DISTINCT suite, name, file FROM (${failedRows}) AS failed LIMIT $2`, [
    runId,
    maxTests + 1,
    among,
  ])

const distinctFiles = (db: Context['db'], runId: string, among: number | null) =>
  db.query<{ file: string | null }[]>(`SELECT DISTINCT file FROM (${failedRows}) AS failed LIMIT $2`, [
    runId,
    maxFiles + 1,
    among,
  ])
