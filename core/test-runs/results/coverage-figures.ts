import type { Context } from '../../base/context.ts'
import type { CoverageFigures } from '../schema.ts'

const maxWorst = 3

interface Totals {
  run_id: string
  covered: number
  total: number
  files: number
}

interface Worst {
  run_id: string
  path: string
  lines_covered: number
  lines_total: number
}

/** Sums up the coverage of runs. Runs without coverage are not in the map. */
export async function coverageFigures(
  { db }: Pick<Context, 'db'>,
  runs: readonly { id: string; coverage: number | null }[],
): Promise<Map<string, CoverageFigures>> {
  const ids = runs.filter(({ coverage }) => coverage !== null).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const [totals, worst] = await Promise.all([
    db.query<Totals[]>(
      `SELECT run_id, sum(lines_covered)::int AS covered, sum(lines_total)::int AS total, count(*)::int AS files
         FROM test_run_coverage WHERE run_id = ANY ($1) GROUP BY run_id`,
      [ids],
    ),
    db.query<Worst[]>(
      `SELECT w.* FROM unnest($1::text[]) AS runs (id) CROSS JOIN LATERAL (
         SELECT run_id, path, lines_covered, lines_total FROM test_run_coverage
          WHERE run_id = runs.id AND lines_covered < lines_total
          ORDER BY lines_total - lines_covered DESC, path LIMIT ${maxWorst}) AS w`,
      [ids],
    ),
  ])
  const worstOf = Map.groupBy(worst, ({ run_id }) => run_id)
  return new Map(
    totals.map(({ run_id, covered, total, files }) => [
      run_id,
      {
        coveredLines: covered,
        totalLines: total,
        files,
        worst: (worstOf.get(run_id) ?? []).map(({ path, lines_covered, lines_total }) => ({
          path,
          coveredLines: lines_covered,
          totalLines: lines_total,
        })),
      },
    ]),
  )
}
