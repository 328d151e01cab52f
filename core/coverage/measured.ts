import type { Context } from '../base/context.ts'
import { type MeasuredRow, rowOfWholeRun } from '../../engines/coverage/measured.ts'

/** Commits beyond these are too old for the history that an analysis reads. */
const maxRuns = 500

/**
 * Runs of strangers say nothing about the repository; an upload comes from somebody with a token of the project. A run of
 * a snapshot counts only for the snapshot itself, which is parameter 2.
 */
export const counting = `project_id = $1 AND coverage IS NOT NULL AND commit_sha IS NOT NULL
                  AND CASE WHEN snapshot_id IS NULL THEN with_secrets OR source = 'upload' ELSE snapshot_id = $2::text END`

/** Returns the commits of the latest runs and uploads with coverage. */
export async function measuredCommits(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  snapshotId: string | null = null,
): Promise<string[]> {
  const rows = await db.query<{ commit_sha: string }[]>(
    `SELECT DISTINCT commit_sha
       FROM (SELECT commit_sha FROM test_runs WHERE ${counting} ORDER BY id DESC LIMIT ${maxRuns}) AS latest`,
    [projectId, snapshotId],
  )
  return rows.map(({ commit_sha }) => commit_sha)
}

/** Returns the latest run or upload that measured exactly this commit; null if there is none. */
export async function lastMeasuringRun(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  commitSha: string,
): Promise<string | null> {
  const [row] = await db.query<{ id: string }[]>(
    `SELECT id FROM test_runs WHERE ${counting} AND commit_sha = $3 ORDER BY id DESC LIMIT 1`,
    [projectId, null, commitSha],
  )
  return row?.id ?? null
}

/** When the coverage for analyses of a project or of a snapshot last changed; null if there is none. */
export async function lastMeasuredAt(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  snapshotId: string | null = null,
): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }[]>(
    `SELECT max(completed_at) AS at FROM test_runs WHERE ${counting}`,
    [projectId, snapshotId],
  )
  return row?.at ?? null
}

export interface CommitCoverage {
  /** A file appears once for each different result of a run. */
  files: MeasuredRow[]
  /** False if files are missing, because the coverage has too many characters. */
  isWhole: boolean
}

interface Row {
  path: string
  covered: string
  uncovered: string
  partial: string | null
  is_whole: boolean
}

/** Far more than the reports of large repositories have. */
const maxCharacters = 256 * 1_048_576

/** Loads the coverage of a commit by all runs of the project or of a snapshot, for a process that merges it. */
export async function loadCommitCoverage(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  commitSha: string,
  { snapshotId = null, maximum = maxCharacters }: { snapshotId?: string | null; maximum?: number } = {},
): Promise<CommitCoverage> {
  const [ofAllTests] = await db.query<unknown[]>(
    `SELECT 1 FROM test_runs
      WHERE ${counting} AND commit_sha = $3 AND source <> 'upload' AND type = 'ALL' AND selection IS NULL
        AND status = 'COMPLETED' LIMIT 1`,
    [projectId, snapshotId, commitSha],
  )
  const rows = await db.query<Row[]>(
    `WITH measured AS (
       SELECT DISTINCT path, covered_lines AS covered, uncovered_lines AS uncovered, partial_branches AS partial
         FROM test_run_coverage
        WHERE run_id IN (SELECT id FROM test_runs WHERE ${counting} AND commit_sha = $3 ORDER BY id DESC LIMIT 20)),
     files AS (
       SELECT path, sum(sum(length(concat(path, covered, uncovered, partial)) + 12)) OVER (ORDER BY path) AS characters
         FROM measured GROUP BY path)
     SELECT measured.*, (SELECT max(characters) FROM files) <= $4 AS is_whole
       FROM measured JOIN files USING (path)
      WHERE characters <= $4
      ORDER BY path, covered, uncovered`,
    [projectId, snapshotId, commitSha, maximum],
  )
  const isWhole = rows.every(({ is_whole }) => is_whole)
  return {
    files: [
      ...(ofAllTests && isWhole ? [rowOfWholeRun] : []),
      ...rows.map(({ path, covered, uncovered, partial }): MeasuredRow => [path, covered, uncovered, partial]),
    ],
    isWhole,
  }
}
