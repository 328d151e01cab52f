import type { DataSource } from 'typeorm'
import { type Context, contextOfSystem, inTransaction, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { ProjectEntity, type ProjectRow } from '../../projects/entity.ts'
import { SnapshotEntity } from '../../snapshots/entity.ts'
import { requestTestHealth } from '../../test-runs/request-health.ts'
import { isJudged } from '../../tests/health/load-runs.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { withSource } from '../../workspaces/source.ts'

export const mergedQueue = 'merged-fixes'
export const mergedSchedule = '4,19,34,49 * * * *'

/** A confirmation on a commit that the project's branch did not contain, and the run of the branch to compare with. */
interface Unmerged {
  id: string
  projectId: string
  testId: string
  commitSha: string | null
  snapshotId: string | null
  /** The latest run of the branch. */
  runId: string
  runCommit: string
  runAt: Date
  /** Runs after this time have not been looked at. */
  since: Date
}

/** A tested commit of the branch that contains the fix. */
interface Containing {
  runId: string
}

const maxDays = 90
const batch = 50

/** Notes which confirmed fixes the projects' branches contain meanwhile. */
export function mergedJob(services: Services, dataSource: DataSource): JobKind<object> {
  return {
    queue: mergedQueue,
    retryLimit: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 1_800,
    concurrency: 1,
    handle: (_, signal) =>
      noteMerged(contextOfSystem(services, dataSource.manager, { requestId: mergedQueue, signal })),
    onExhausted: async () => services.log.error('looking for merged fixes failed; the next job tries again'),
  }
}

/** Looks only at projects whose branch was tested again since the last look. */
export async function noteMerged(ctx: Context): Promise<void> {
  const rows = await ctx.db.query<Unmerged[]>(
    `SELECT c.id, c.project_id AS "projectId", c.test_id AS "testId", c.commit_sha AS "commitSha",
            c.snapshot_id AS "snapshotId", run.id AS "runId", run.commit_sha AS "runCommit", run.created_at AS "runAt",
            coalesce(c.checked_at, c.created_at) AS since
       FROM test_confirmations AS c JOIN projects AS p ON p.id = c.project_id
      CROSS JOIN LATERAL (
        SELECT id, commit_sha, created_at FROM test_runs
         WHERE project_id = c.project_id AND ${isJudged('test_runs')} AND branch = p.branch AND pull_request IS NULL
         ORDER BY ran_at DESC, id DESC LIMIT 1) AS run
      WHERE c.verdict = 'confirmed' AND c.merged_at IS NULL AND c.completed_at > $1::timestamptz - interval '${maxDays} days'
        AND run.created_at > coalesce(c.checked_at, c.created_at)
      ORDER BY c.checked_at NULLS FIRST LIMIT ${batch}`,
    [ctx.now()],
  )
  for (const row of rows) {
    ctx.signal.throwIfAborted()
    const project = await ctx.db.getRepository(ProjectEntity).findOneBy({ id: row.projectId })
    if (project) await noteOne(ctx, project, row, await findContaining(ctx, project, row))
  }
}

async function findContaining(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  row: Unmerged,
): Promise<Containing | null> {
  try {
    if (row.snapshotId !== null) return await findWithFiles(ctx, project, row, row.snapshotId)
    if (row.commitSha === row.runCommit) return row
    const ref = { branch: null, commitSha: row.commitSha }
    return (await withSource(ctx, project, ref, (source) => source.isOnProjectBranch())) ? row : null
  } catch (error) {
    // The repository may be unavailable, or may have lost the commit.
    if (!(error instanceof RunFailure)) throw error
    return null
  }
}

const maxCommits = 20

/** A snapshot becomes a commit with the same files, on which further commits may follow before anybody looks. */
async function findWithFiles(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  { projectId, since }: Unmerged,
  snapshotId: string,
): Promise<Containing | null> {
  const snapshot = await ctx.db.getRepository(SnapshotEntity).findOneBy({ id: snapshotId })
  if (!snapshot) return null
  const runs = await ctx.db.query<{ id: string; commit_sha: string }[]>(
    `SELECT DISTINCT ON (commit_sha) id, commit_sha FROM test_runs
      WHERE project_id = $1 AND ${isJudged('test_runs')} AND branch = $2 AND pull_request IS NULL AND created_at > $3
      ORDER BY commit_sha, ran_at LIMIT ${maxCommits}`,
    [projectId, project.branch, since],
  )
  for (const { id: runId, commit_sha: commitSha } of runs) {
    const tree = await withSource(ctx, project, { branch: null, commitSha }, (source) => source.treeSha())
    if (tree === snapshot.treeSha) return { runId }
  }
  return null
}

async function noteOne(ctx: Context, { id: projectId }: { id: string }, row: Unmerged, found: Containing | null) {
  await inTransaction(ctx, async (tx) => {
    await tx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId])
    await tx.db.query(
      `UPDATE test_confirmations SET checked_at = $2,
              merged_at = CASE WHEN $3 THEN (SELECT ran_at FROM test_runs WHERE id = $4) END,
              merged_run = CASE WHEN $3 THEN $4 END
        WHERE id = $1`,
      [row.id, row.runAt, found !== null, found?.runId ?? null],
    )
    if (found) await requestTestHealth(tx, projectId, row.testId)
  })
}
