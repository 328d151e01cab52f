import type { Context } from '../base/context.ts'
import { type MeasuredRow, rowOfWholeRun } from '../../engines/coverage/measured.ts'

/** Commits beyond these are too old for the history that an analysis reads. */
const maxRuns = 500

/** Strangers' runs say nothing about the project; an upload comes from somebody with a token of it. */
const ofTheProject = `project_id = $1 AND coverage IS NOT NULL AND commit_sha IS NOT NULL
                      AND (with_secrets OR source = 'upload')`

/** Returns the commits of the latest runs and uploads with coverage. */
export async function measuredCommits({ db }: Pick<Context, 'db'>, projectId: string): Promise<string[]> {
  const rows = await db.query<{ commit_sha: string }[]>(
    `SELECT DISTINCT commit_sha
       FROM (SELECT commit_sha FROM test_runs WHERE ${ofTheProject} ORDER BY id DESC LIMIT ${maxRuns}) AS latest`,
    [projectId],
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
    `SELECT id FROM test_runs WHERE ${ofTheProject} AND commit_sha = $2 ORDER BY id DESC LIMIT 1`,
    [projectId, commitSha],
  )
  return row?.id ?? null
}

/** When the coverage of a project last changed; null if it has none. */
export async function lastMeasuredAt({ db }: Pick<Context, 'db'>, projectId: string): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }[]>(
    `SELECT max(completed_at) AS at FROM test_runs WHERE ${ofTheProject}`,
    [projectId],
  )
  return row?.at ?? null
}

export interface CommitCoverage {
  runIds: string[]
  files: MeasuredRow[]
}

/** Loads the coverage of a commit by all runs of the project, for an engine process that merges it. */
export async function loadCommitCoverage(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  commitSha: string,
): Promise<CommitCoverage> {
  const [whole] = await db.query<unknown[]>(
    `SELECT 1 FROM test_runs
      WHERE ${ofTheProject} AND commit_sha = $2 AND source <> 'upload' AND type = 'ALL' AND selection IS NULL
        AND status = 'COMPLETED' LIMIT 1`,
    [projectId, commitSha],
  )
  const rows = await db.query<
    { run_id: string; path: string; covered: string; uncovered: string; partial: string | null }[]
  >(
    `SELECT c.run_id, c.path, c.covered_lines AS covered, c.uncovered_lines AS uncovered, c.partial_branches AS partial
       FROM test_run_coverage c
      WHERE c.run_id IN (SELECT id FROM test_runs WHERE ${ofTheProject} AND commit_sha = $2 ORDER BY id DESC LIMIT 20)`,
    [projectId, commitSha],
  )
  return {
    runIds: [...new Set(rows.map(({ run_id }) => run_id))].toSorted(),
    files: [
      ...(whole ? [rowOfWholeRun] : []),
      ...rows.map(({ path, covered, uncovered, partial }): MeasuredRow => [path, covered, uncovered, partial]),
    ],
  }
}
