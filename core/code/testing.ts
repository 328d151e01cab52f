import type { FileCoverageRow } from '../coverage/of-file.ts'
import type { App } from '../app.ts'
import { createRunFor } from '../testing/factories.ts'
import type { TestRunRow } from '../test-runs/entity.ts'

/** Creates an ended run that measured the coverage of one file. */
export async function createMeasuringRunFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<TestRunRow>,
  path: string,
  measured: Partial<FileCoverageRow> = {},
): Promise<TestRunRow> {
  const ended = { status: 'COMPLETED' as const, withSecrets: true, coverage: 50, completedAt: new Date() }
  const run = await createRunFor(app, { ...ended, ...fields })
  const row: FileCoverageRow = {
    covered_lines: '1',
    uncovered_lines: '2',
    lines_covered: 1,
    lines_total: 2,
    branches_covered: null,
    branches_total: null,
    functions_covered: null,
    functions_total: null,
    partial_branches: null,
    ...measured,
  }
  const columns = Object.keys(row)
  await app.dataSource.query(
    `INSERT INTO test_run_coverage (run_id, path, ${columns.join(', ')})
     VALUES ($1, $2, ${columns.map((_column, index) => `$${index + 3}`).join(', ')})`,
    [run.id, path, ...Object.values(row)],
  )
  return run
}
