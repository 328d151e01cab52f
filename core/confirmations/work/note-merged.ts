import type { DataSource } from 'typeorm'
import { type Context, contextOfSystem, inTransaction, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { ProjectEntity, type ProjectRow } from '../../projects/entity.ts'
import { SnapshotEntity } from '../../snapshots/entity.ts'
import { requestTestHealth } from '../../test-runs/request-health.ts'
import { isJudged } from '../../tests/health/load-runs.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { type OpenedSource, withSource } from '../../workspaces/source.ts'

export const mergedQueue = 'merged-fixes'
export const mergedSchedule = '4,19,34,49 * * * *'

/** A confirmation on a commit that the project's branch did not contain, and the latest run of the branch. */
interface Unmerged {
  id: string
  projectId: string
  testId: string
  commitSha: string | null
  snapshotId: string | null
  runId: string
  /** Runs that ended after this time have not been looked at. */
  since: Date
}

/** A commit of the branch, and its first run that has not been looked at. */
interface Tested {
  runId: string
  commitSha: string
  endedAt: Date
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
            c.snapshot_id AS "snapshotId", run.id AS "runId", coalesce(c.checked_at, c.created_at) AS since
       FROM test_confirmations AS c JOIN projects AS p ON p.id = c.project_id
      CROSS JOIN LATERAL (
        SELECT id, completed_at FROM test_runs
         WHERE project_id = c.project_id AND ${isJudged('test_runs')} AND branch = p.branch AND pull_request IS NULL
         ORDER BY ran_at DESC, id DESC LIMIT 1) AS run
      WHERE c.verdict = 'confirmed' AND c.merged_at IS NULL AND c.completed_at > $1::timestamptz - interval '${maxDays} days'
        AND run.completed_at > coalesce(c.checked_at, c.created_at)
      -- So that repositories that stay unavailable do not hold back others.
      ORDER BY random() LIMIT ${batch}`,
    [ctx.now()],
  )
  for (const row of rows) {
    ctx.signal.throwIfAborted()
    const project = await ctx.db.getRepository(ProjectEntity).findOneBy({ id: row.projectId })
    if (!project) continue
    const tested = await loadTested(ctx, project, row)
    try {
      await noteOne(ctx, row, tested, await findContaining(ctx, project, row, tested))
    } catch (error) {
      // The repository is unavailable. The next job looks at the same runs.
      if (!(error instanceof RunFailure)) throw error
    }
  }
}

const maxCommits = 20

/** Loads commits that were tested since the last look, on which further ones may follow before anybody looks. */
function loadTested(
  { db }: Pick<Context, 'db'>,
  { id, branch }: Pick<ProjectRow, 'id' | 'branch'>,
  { since }: Unmerged,
): Promise<Tested[]> {
  return db.query<Tested[]>(
    `SELECT * FROM (
       SELECT DISTINCT ON (commit_sha) id AS "runId", commit_sha AS "commitSha", completed_at AS "endedAt" FROM test_runs
        WHERE project_id = $1 AND ${isJudged('test_runs')} AND branch = $2 AND pull_request IS NULL AND completed_at > $3
        ORDER BY commit_sha, ran_at, id) AS tested
      ORDER BY "endedAt", "runId" LIMIT ${maxCommits}`,
    [id, branch, since],
  )
}

/** Returns the run that shows that the branch contains the fix. */
async function findContaining(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  { commitSha, snapshotId, runId }: Unmerged,
  tested: readonly Tested[],
): Promise<string | null> {
  if (snapshotId !== null) return findWithFiles(ctx, project, snapshotId, tested)
  const own = tested.find((each) => each.commitSha === commitSha)
  if (own) return own.runId
  return (await ask(ctx, project, commitSha, (source) => source.isOnProjectBranch())) === true ? runId : null
}

/** A snapshot becomes a commit with the same files. */
async function findWithFiles(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  snapshotId: string,
  tested: readonly Tested[],
): Promise<string | null> {
  const snapshot = await ctx.db.getRepository(SnapshotEntity).findOneBy({ id: snapshotId })
  if (!snapshot) return null
  for (const { runId, commitSha } of tested) {
    if ((await ask(ctx, project, commitSha, (source) => source.treeSha())) === snapshot.treeSha) return runId
  }
  return null
}

const lost = new Set(['commit_not_found', 'too_large'])

/**
 * Asks a commit of the repository. Returns undefined if the repository has lost it.
 *
 * @throws RunFailure if the repository is unavailable
 */
async function ask<T>(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  commitSha: string | null,
  question: (source: OpenedSource) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await withSource(ctx, project, { branch: null, commitSha }, question)
  } catch (error) {
    if (!(error instanceof RunFailure) || !lost.has(error.code)) throw error
    return undefined
  }
}

/** A run that has ended may be stored after one that ended later, but not by more. */
const settleMs = 60_000

async function noteOne(ctx: Context, row: Unmerged, tested: readonly Tested[], runId: string | null): Promise<void> {
  const lookedUntil = Math.min(tested.at(-1)?.endedAt.getTime() ?? Infinity, ctx.now().getTime() - settleMs)
  await inTransaction(ctx, async (tx) => {
    await tx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [row.projectId])
    await tx.db.query(
      `UPDATE test_confirmations SET checked_at = $2, merged_at = (SELECT ran_at FROM test_runs WHERE id = $3), merged_run = $3
        WHERE id = $1 AND merged_at IS NULL`,
      [row.id, new Date(lookedUntil), runId],
    )
    if (runId !== null) await requestTestHealth(tx, row.projectId, row.testId)
  })
}
