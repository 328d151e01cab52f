import type { DataSource } from 'typeorm'
import { type Context, contextOfSystem, inTransaction, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { ProjectEntity, type ProjectRow } from '../../projects/entity.ts'
import { SnapshotEntity } from '../../snapshots/entity.ts'
import { requestTestHealth } from '../../test-runs/request-health.ts'
import { isJudged } from '../../tests/health/load-runs.ts'
import { historyCommits } from '../../workspaces/compare-with-base.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { type OpenedSource, withSource } from '../../workspaces/source.ts'

export const mergedQueue = 'merged-fixes'
export const mergedSchedule = '4,19,34,49 * * * *'

/** A confirmation on a commit that the project's branch did not contain when it was asked for. */
interface Unmerged {
  id: string
  projectId: string
  testId: string
  commitSha: string | null
  snapshotId: string | null
  /** Runs that ended after this time have not been looked at. */
  since: Date
  /** The time of the first run that is known to contain the fix; null if none is. */
  mergedAt: Date | null
  mergedRun: string | null
}

/** A commit of the branch, and its first run that has not been looked at. */
interface Tested {
  runId: string
  commitSha: string
  ranAt: Date
  endedAt: Date
}

const maxDays = 90
const batch = 50
/** The branch may have been tested with the same files before somebody confirms them. */
const since = `coalesce(c.checked_at, c.created_at - interval '7 days')`
/** What was confirmed on the branch needs no run. For others, a run that ends late can be from before the one that is known. */
const isOpen = '(c.merged_at IS NULL OR c.merged_run IS NOT NULL)'
const isEarlier = (mergedAt: string, mergedRun: string) =>
  `(ran_at, id) < (coalesce(${mergedAt}, 'infinity'), coalesce(${mergedRun}, ''))`
/** What is uploaded can have run up to 30 days ago. */
const lateDays = 31

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
            c.snapshot_id AS "snapshotId", ${since} AS since, c.merged_at AS "mergedAt",
            c.merged_run AS "mergedRun"
       FROM test_confirmations AS c JOIN projects AS p ON p.id = c.project_id
      WHERE c.verdict = 'confirmed' AND ${isOpen} AND c.completed_at > $1::timestamptz - interval '${maxDays} days'
        AND coalesce(c.merged_at, $1) > $1::timestamptz - interval '${lateDays} days'
        AND EXISTS (
          SELECT FROM test_runs
           WHERE project_id = c.project_id AND ${isJudged('test_runs')} AND branch = p.branch AND pull_request IS NULL
             AND completed_at > ${since} AND ${isEarlier('c.merged_at', 'c.merged_run')})
      -- So that repositories that stay unavailable do not hold back others.
      ORDER BY random() LIMIT ${batch}`,
    [ctx.now()],
  )
  const unavailable = new Set<string>()
  const ask = asking(ctx)
  for (const row of rows) {
    ctx.signal.throwIfAborted()
    if (unavailable.has(row.projectId)) continue
    const project = await ctx.db.getRepository(ProjectEntity).findOneBy({ id: row.projectId })
    if (!project) continue
    const tested = await loadTested(ctx, project, row)
    // The project has another branch meanwhile.
    if (tested.length === 0) continue
    try {
      await noteOne(ctx, row, tested, await findContaining(ctx, project, row, tested, ask))
    } catch (error) {
      // The repository is unavailable. The next job looks at the same runs.
      if (!(error instanceof RunFailure)) throw error
      unavailable.add(row.projectId)
    }
  }
}

const maxCommits = 20

/** Loads commits whose runs ended first since the last look, in the order of these runs. */
async function loadTested(
  { db }: Pick<Context, 'db'>,
  { id, branch }: Pick<ProjectRow, 'id' | 'branch'>,
  { since, mergedAt, mergedRun }: Unmerged,
): Promise<Tested[]> {
  const rows = await db.query<Tested[]>(
    `SELECT * FROM (
       SELECT DISTINCT ON (commit_sha) id AS "runId", commit_sha AS "commitSha", ran_at AS "ranAt", completed_at AS "endedAt"
         FROM test_runs
        WHERE project_id = $1 AND ${isJudged('test_runs')} AND branch = $2 AND pull_request IS NULL AND completed_at > $3
          AND ${isEarlier('$4::timestamptz', '$5')}
        ORDER BY commit_sha, ran_at, id) AS tested
      ORDER BY "endedAt" FETCH FIRST ${maxCommits} ROWS WITH TIES`,
    [id, branch, since, mergedAt, mergedRun],
  )
  return rows.toSorted((a, b) => a.ranAt.getTime() - b.ranAt.getTime() || (a.runId < b.runId ? -1 : 1))
}

/** Returns the first run that shows that the branch contains the fix. */
async function findContaining(
  ctx: Context,
  project: Project,
  { commitSha, snapshotId }: Unmerged,
  tested: readonly Tested[],
  ask: Ask,
): Promise<string | null> {
  if (snapshotId !== null) return findWithFiles(ctx, project, snapshotId, tested, ask)
  if (commitSha === null) return null
  for (const each of tested) {
    if (each.commitSha === commitSha) return each.runId
    const common = await ask(project, each.commitSha, `last commit in common with ${commitSha}`, async (source) => {
      const { baseSha } = await source.changesOnTopOf(commitSha)
      return baseSha
    })
    if (common === commitSha) return each.runId
  }
  return null
}

/** A snapshot becomes a commit with the same files. */
async function findWithFiles(
  ctx: Context,
  project: Project,
  snapshotId: string,
  tested: readonly Tested[],
  ask: Ask,
): Promise<string | null> {
  const snapshot = await ctx.db.getRepository(SnapshotEntity).findOneBy({ id: snapshotId })
  if (!snapshot) return null
  for (const { runId, commitSha } of tested) {
    const treeSha = await ask(project, commitSha, 'tree', (source) => source.treeSha())
    if (treeSha === snapshot.treeSha) return runId
  }
  return null
}

type Project = Omit<ProjectRow, 'settings'>

/**
 * Asks a commit of the repository, each question once. Returns undefined if the repository has lost the commit, or the one
 * that the question names.
 *
 * @throws RunFailure if the repository is unavailable
 */
type Ask = (
  project: Project,
  commitSha: string,
  name: string,
  question: (source: OpenedSource) => Promise<string | undefined>,
) => Promise<string | undefined>

const lost = new Set(['commit_not_found', 'reference_not_found', 'too_large'])
function asking(ctx: Context): Ask {
  const known = new Map<string, string | undefined>()
  return async (project, commitSha, name, question) => {
    const key = `${project.id} ${commitSha} ${name}`
    if (known.has(key)) return known.get(key)
    let answer: string | undefined
    try {
      answer = await withSource(ctx, project, { branch: null, commitSha, historyCommits }, question)
    } catch (error) {
      if (!(error instanceof RunFailure) || !lost.has(error.code)) throw error
    }
    known.set(key, answer)
    return answer
  }
}

/** A run that has ended may be stored after one that ended later, but not by more. */
const settleMs = 60_000

async function noteOne(ctx: Context, row: Unmerged, tested: readonly Tested[], runId: string | null): Promise<void> {
  const lookedUntil = Math.min(
    Math.max(...tested.map(({ endedAt }) => endedAt.getTime())),
    ctx.now().getTime() - settleMs,
  )
  await inTransaction(ctx, async (tx) => {
    await tx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [row.projectId])
    await tx.db.query(
      `UPDATE test_confirmations AS c
          SET checked_at = $2, merged_run = coalesce($3, merged_run),
              merged_at = coalesce((SELECT ran_at FROM test_runs WHERE id = $3), merged_at)
        WHERE id = $1 AND ${isOpen}`,
      [row.id, new Date(lookedUntil), runId],
    )
    if (runId !== null) await requestTestHealth(tx, row.projectId, row.testId)
  })
}
