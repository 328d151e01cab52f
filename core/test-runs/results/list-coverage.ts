import type { Context } from '../../base/context.ts'
import { type LatestStrength, latestStrengthOf, percentNoticed } from '../../coverage/strength.ts'
import { getOwnRun } from '../get.ts'
import type { CoveragePage, ListCoverage } from './schema.ts'

interface Row {
  path: string
  uncovered_lines: string
  lines_covered: number
  lines_total: number
  branches_covered: number | null
  branches_total: number | null
  functions_covered: number | null
  functions_total: number | null
}

/** Lists the files whose coverage a run measured; the files with the most uncovered lines come first. */
export async function listCoverage(ctx: Context, input: ListCoverage): Promise<CoveragePage> {
  const { limit, offset } = input
  const { run } = await getOwnRun(ctx, input.runId, 'viewer')
  const [[{ total }], rows] = await Promise.all([
    ctx.db.query<[{ total: number }]>('SELECT count(*)::int AS total FROM test_run_coverage WHERE run_id = $1', [
      run.id,
    ]),
    ctx.db.query<Row[]>(
      `SELECT * FROM test_run_coverage WHERE run_id = $1 ORDER BY lines_total - lines_covered DESC, path LIMIT $2 OFFSET $3`,
      [run.id, limit, offset],
    ),
  ])
  const strengths = await latestStrengthOf(
    ctx,
    run,
    rows.map(({ path }) => path),
  )
  const files = rows.map((row) => ({
    path: row.path,
    lines: { covered: row.lines_covered, total: row.lines_total },
    branches: share(row.branches_covered, row.branches_total),
    functions: share(row.functions_covered, row.functions_total),
    uncoveredLines: row.uncovered_lines,
    strength: strengthIn(strengths.get(row.path)),
  }))
  return { files, pagination: { total, limit, offset } }
}

function strengthIn(found: LatestStrength | undefined) {
  const percent = found ? percentNoticed(found) : null
  return found && percent !== null ? { percent, ...found } : null
}

const share = (covered: number | null, total: number | null) =>
  covered === null || total === null ? null : { covered, total }
