import type { Context } from '../../base/context.ts'
import type { CoverageFigures } from '../schema.ts'

const maxWorst = 3

/** Sums up the coverage of a run, to be stored with the run. Null if the run has none. */
export async function coverageFigures({ db }: Pick<Context, 'db'>, runId: string): Promise<CoverageFigures | null> {
  const [totals] = await db.query<[Omit<CoverageFigures, 'worst'>]>(
    `SELECT coalesce(sum(lines_covered), 0)::int AS "coveredLines", coalesce(sum(lines_total), 0)::int AS "totalLines",
            count(*)::int AS files
       FROM test_run_coverage WHERE run_id = $1`,
    [runId],
  )
  if (totals.files === 0) return null
  const worst = await db.query<CoverageFigures['worst']>(
    `SELECT path, lines_covered AS "coveredLines", lines_total AS "totalLines" FROM test_run_coverage
      WHERE run_id = $1 AND lines_covered < lines_total
      ORDER BY lines_total - lines_covered DESC, path LIMIT ${maxWorst}`,
    [runId],
  )
  return { ...totals, worst }
}
