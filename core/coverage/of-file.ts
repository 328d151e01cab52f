import type { Context } from '../base/context.ts'
import { ofWholeBranch } from './whole-runs.ts'
import { counting } from './measured.ts'

/** A run or upload that measured coverage. */
export interface MeasuringRow {
  id: string
  created_at: Date
  commit_sha: string
  branch: string | null
  /** Whether it ran all tests of the commit. */
  is_whole: boolean
}

const columns = `id, created_at, commit_sha, branch, (${ofWholeBranch}) AS is_whole`

/** Older runs are not looked at. */
const maxRuns = 2_000
/** Of these, those that did not measure the file are left out. */
const maxOfState = 200

/** Finds the latest run or upload of a branch that measured coverage; if possible, one of all tests. */
export async function lastMeasuringRunOf(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  branch: string,
): Promise<MeasuringRow | undefined> {
  const [row] = await db.query<MeasuringRow[]>(
    `SELECT * FROM (SELECT ${columns} FROM test_runs WHERE ${counting} ORDER BY id DESC LIMIT ${maxRuns}) AS latest
      WHERE branch = $3 ORDER BY is_whole DESC, id DESC LIMIT 1`,
    [projectId, null, branch],
  )
  return row
}

/**
 * Lists the latest runs and uploads that measured a file on one commit or branch, newest first.
 *
 * @param snapshotId - also counts those of this snapshot
 */
export function runsMeasuring(
  { db }: Pick<Context, 'db'>,
  { projectId, path, snapshotId = null }: { projectId: string; path: string; snapshotId?: string | null },
  of: { commitSha: string } | { branch: string },
): Promise<MeasuringRow[]> {
  const [column, value] = 'commitSha' in of ? ['commit_sha', of.commitSha] : ['branch', of.branch]
  return db.query<MeasuringRow[]>(
    `WITH latest AS (
       SELECT ${columns} FROM test_runs WHERE ${counting} ORDER BY id DESC LIMIT ${maxRuns}),
     matching AS (SELECT * FROM latest WHERE ${column} = $3 ORDER BY id DESC LIMIT ${maxOfState})
     SELECT * FROM matching
      WHERE EXISTS (SELECT FROM test_run_coverage WHERE run_id = matching.id AND path = $4)
      ORDER BY id DESC LIMIT 20`,
    [projectId, snapshotId, value, path],
  )
}

export interface FileCoverageRow {
  covered_lines: string
  uncovered_lines: string
  lines_covered: number
  lines_total: number
  branches_covered: number | null
  branches_total: number | null
  functions_covered: number | null
  functions_total: number | null
  partial_branches: string | null
}

/** Loads what a run measured of a file. */
export async function coverageOfFile(
  { db }: Pick<Context, 'db'>,
  runId: string,
  path: string,
): Promise<FileCoverageRow | undefined> {
  const [row] = await db.query<FileCoverageRow[]>(
    `SELECT covered_lines, uncovered_lines, lines_covered, lines_total, branches_covered, branches_total,
            functions_covered, functions_total, partial_branches
       FROM test_run_coverage WHERE run_id = $1 AND path = $2`,
    [runId, path],
  )
  return row
}
