import type { Context } from '../../base/context.ts'
import { notFound, procedureHint } from '../../base/errors.ts'
import { latestStrength, percentNoticed } from '../../coverage/strength.ts'
import { getOwnRun } from '../get.ts'
import type { CoverageByFolder, ListCoverageByFolder } from './schema.ts'

interface Row {
  /** Null for the folder itself. */
  name: string | null
  is_folder: boolean | null
  others: number
  files: number
  lines_covered: number | null
  lines_total: number | null
  branches_covered: number | null
  branches_total: number | null
  functions_covered: number | null
  functions_total: number | null
  tried: number
  noticed: number
}

const sums = ['lines', 'branches', 'functions']
  .flatMap((what) => [`${what}_covered`, `${what}_total`])
  .map((column) => `sum(${column})::int AS ${column}`)
  .join(', ')

/** Returns the coverage that a run measured of a folder and of each of its entries, with the latest strength. */
export async function coverageByFolder(ctx: Context, input: ListCoverageByFolder): Promise<CoverageByFolder> {
  const { limit, offset } = input
  const names = input.folder.split('/').filter((name) => !['', '.'].includes(name))
  const path = names.join('/')
  const { run } = await getOwnRun(ctx, input.runId, 'viewer')
  const prefix = path === '' ? '' : `${path}/`
  const [whole, ...entries] = await ctx.db.query<Row[]>(
    `WITH latest AS (${latestStrength}),
          measured AS (
            SELECT split_part(substr(path, length($4) + 1), '/', 1) AS name,
                   position('/' IN substr(path, length($4) + 1)) > 0 AS is_folder, coverage.*, tried, noticed
              FROM test_run_coverage AS coverage LEFT JOIN latest USING (path)
             WHERE run_id = $3 AND starts_with(path, $4)),
          grouped AS (
            SELECT name, is_folder, count(*)::int AS files, ${sums},
                   coalesce(sum(tried), 0)::int AS tried, coalesce(sum(noticed), 0)::int AS noticed
              FROM measured GROUP BY GROUPING SETS ((), (name, is_folder))),
          numbered AS (
            SELECT *, (count(*) OVER ())::int - 1 AS others,
                   row_number() OVER (ORDER BY name IS NOT NULL, is_folder DESC, name) - 1 AS position
              FROM grouped)
     SELECT * FROM numbered WHERE position = 0 OR (position > $6 AND position <= $5 + $6) ORDER BY position`,
    [run.projectId, run.snapshotId ?? '', run.id, prefix, limit, offset],
  )
  if (!whole || (path !== '' && whole.files === 0)) {
    throw notFound('folder', 'testRuns.coverage lists the files with coverage.', procedureHint('testRuns.coverage'))
  }
  return {
    folder: { path, ...figuresOf(whole) },
    entries: entries.map((row) => {
      return { path: `${prefix}${row.name}`, kind: row.is_folder ? 'folder' : 'file', ...figuresOf(row) }
    }),
    pagination: { total: whole.others, limit, offset },
  }
}

function figuresOf(row: Row) {
  const { files, tried, noticed } = row
  const percent = percentNoticed(row)
  return {
    files,
    lines: { covered: row.lines_covered ?? 0, total: row.lines_total ?? 0 },
    branches: share(row.branches_covered, row.branches_total),
    functions: share(row.functions_covered, row.functions_total),
    strength: percent === null ? null : { percent, tried, noticed },
  }
}

const share = (covered: number | null, total: number | null) =>
  covered === null || total === null ? null : { covered, total }
