import type { Context } from '../../base/context.ts'
import type { ProjectRow } from '../../projects/entity.ts'
import type { TestRunRow } from '../entity.ts'

/** The fields of a completed run that later runs are compared with. */
export interface EarlierRun {
  id: string
  branch: string | null
  commitSha: string | null
  snapshotId: string | null
  createdAt: Date
  failedTests: number
  coverage: number | null
  /** The run was not restricted to a selection of tests. */
  whole: boolean
}

const maxRuns = 50

/**
 * Returns earlier completed runs of the same kind, newest first: those of the same branch or pull request, or those of
 * the project's branch if there are none. Callers can name any branch for a stranger's commit, so runs of strangers count
 * only for runs of strangers. Runs of snapshots count for none, except the original for its reruns.
 */
export async function findEarlierRuns(
  ctx: Pick<Context, 'db'>,
  run: TestRunRow,
  project: Pick<ProjectRow, 'branch'>,
): Promise<EarlierRun[]> {
  const { branch, pullRequest } = run
  const isNamed = branch !== null || pullRequest !== null
  const own = isNamed ? await completedBefore(ctx, run, { branch, pullRequest }) : []
  if (own.some(({ whole }) => whole) || branch === project.branch) return own
  return completedBefore(ctx, run, { branch: project.branch, pullRequest: null })
}

/** Returns the run to compare with: the original of a rerun, else the latest that ran all tests, else the latest. */
export function comparedRun(run: Pick<TestRunRow, 'rerunOf'>, earlier: readonly EarlierRun[]): EarlierRun | undefined {
  return earlier.find(({ id }) => id === run.rerunOf) ?? earlier.find(({ whole }) => whole) ?? earlier[0]
}

/** Always includes the run whose failed tests this one reruns. */
function completedBefore(
  { db }: Pick<Context, 'db'>,
  { id, projectId, type, name, rerunOf, withSecrets }: TestRunRow,
  { branch, pullRequest }: Pick<TestRunRow, 'branch' | 'pullRequest'>,
): Promise<EarlierRun[]> {
  return db.query<EarlierRun[]>(
    `SELECT id, branch, commit_sha AS "commitSha", snapshot_id AS "snapshotId", created_at AS "createdAt", failed_tests AS "failedTests", coverage,
            selection IS NULL AS whole
       FROM test_runs
      WHERE project_id = $1 AND id < $2 AND status = 'COMPLETED' AND total_tests > 0
        AND (id = $8 OR (snapshot_id IS NULL AND type = $3 AND name IS NOT DISTINCT FROM $4 AND (with_secrets OR NOT $9)
          AND branch IS NOT DISTINCT FROM $5 AND ($5::text IS NOT NULL OR pull_request = $6)))
      ORDER BY id DESC LIMIT $7`,
    [projectId, id, type, name, branch, pullRequest, maxRuns, rerunOf, withSecrets],
  )
}

/** Returns the commit of a run; null for that of a snapshot, which users do not have. */
export const knownCommit = ({ commitSha, snapshotId }: Pick<TestRunRow, 'commitSha' | 'snapshotId'>): string | null =>
  snapshotId === null ? commitSha : null
