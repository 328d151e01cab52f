import { IsNull, Not } from 'typeorm'
import { type Context, inTransaction } from '../base/context.ts'
import { conflict, invalid } from '../base/errors.ts'
import { requireScope } from '../base/permissions.ts'
import { requireAnalyzed } from '../analysis/analyze-repository.ts'
import { type AnalyzedCommit, waitForRanking } from '../analysis/get.ts'
import { requestRanking } from '../analysis/rank-anew.ts'
import type { Measurement } from '../analysis/schema.ts'
import { lastMeasuringRun } from '../coverage/measured.ts'
import { getOwnProject } from '../projects/get.ts'
import { plannedReason } from '../../engines/test-plan/why-unmeasured.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { waitForRun } from './get.ts'
import { hasEnded } from './present.ts'
import { triggerRun } from './trigger.ts'

export interface MeasurementWanted {
  projectId: string
  waitSeconds: number
  /** By default the latest analysis. */
  analyzed?: AnalyzedCommit
  /** Validates the scope before a run is triggered. */
  beforeRun?: (() => Promise<unknown>) | undefined
}

/** For this time, a run without coverage answers for the next one: clients repeat a call until its run has ended. */
const keptMs = 60_000
/** The ranking takes seconds, and the caller has waited for the run. */
const rankingMs = 10_000

/**
 * Measures the coverage of an analyzed commit, by default of the latest one, with a run of all tests. Does nothing if a
 * run or an upload has measured this commit. Repeated and concurrent calls wait for the same run.
 *
 * @throws AppError 403 for a caller who must not trigger runs; 409 with the hint `measuring` if the run takes longer than
 *   `waitSeconds`
 */
export async function measureCommit(
  ctx: Context,
  { projectId, waitSeconds, beforeRun, ...wanted }: MeasurementWanted,
): Promise<Measurement> {
  requireScope(ctx, 'testRuns.trigger')
  const { updatedAt } = await getOwnProject(ctx, projectId, 'member')
  const until = performance.now() + waitSeconds * 1_000
  const left = () => Math.max(0, until - performance.now())
  const analyzed = wanted.analyzed ?? (await requireAnalyzed(ctx, { projectId, waitSeconds }))
  const ranking = await waitForRanking(ctx, analyzed.id, left())
  if (ranking.coverage?.behind === 0) return { runId: null, problem: null }

  const measuredBy = await lastMeasuringRun(ctx, projectId, analyzed.commitSha)
  if (measuredBy !== null) {
    // The stored ranking of the latest analysis may have failed after the run. Other rankings are not stored.
    if (!wanted.analyzed && ranking.isCurrent) await inTransaction(ctx, (tx) => requestRanking(tx, projectId, null))
    await waitForRanking(ctx, analyzed.id, Math.max(rankingMs, left()))
    return { runId: measuredBy, problem: null }
  }

  // The runs are counted first. A call that counts a concurrent run also finds it; otherwise the key returns that run.
  const earlier = await countRuns(ctx, projectId, analyzed.commitSha)
  const known = await findRun(ctx, projectId, analyzed.commitSha, updatedAt)
  if (!known) await beforeRun?.()
  const started = known ?? (await startRun(ctx, projectId, analyzed, `measure-${analyzed.commitSha}-${earlier}`))
  const run = hasEnded(started)
    ? started
    : await waitForRun(ctx, started.id, left()).catch(async (error: unknown) => {
        // The run goes with its project, and the caller asked about the project.
        await getOwnProject(ctx, projectId, 'member')
        throw error
      })
  if (!hasEnded(run)) {
    const same = wanted.analyzed ? `with commitSha ${analyzed.commitSha} ` : ''
    throw conflict(
      `The run ${run.id} measures the coverage and has not ended. Repeat the call ${same}to wait for it.`,
      {
        hint: { kind: 'measuring', runId: run.id },
      },
    )
  }
  if (run.coverage === null)
    return { runId: run.id, problem: describe(run, run.status === 'COMPLETED' ? await whyUnmeasured(ctx, run) : null) }
  await waitForRanking(ctx, analyzed.id, Math.max(rankingMs, left()))
  return { runId: run.id, problem: null }
}

/** @throws AppError 400 for a snapshot, whose results count for nothing else */
export function refuseMeasuringSnapshot({ snapshotId }: { snapshotId?: string | undefined }): void {
  if (snapshotId === undefined) return
  throw invalid(
    'measure: cannot be combined with snapshotId. The analysis of a snapshot uses the coverage that runs of it, of its commit or of an earlier one measured.',
  )
}

/**
 * Finds the latest run of all tests of the commit, unless it ended more than a minute ago or before the project changed, because
 * another run may then come to more. Cancelled runs count, so that a client that repeats its call does not start another.
 */
async function findRun(
  ctx: Context,
  projectId: string,
  commitSha: string,
  changedAt: Date,
): Promise<TestRunRow | undefined> {
  const run = await ctx.db.getRepository(TestRunEntity).findOne({
    where: {
      projectId,
      commitSha,
      type: 'ALL',
      source: Not('upload' as const),
      selection: IsNull(),
      snapshotId: IsNull(),
      withSecrets: true,
    },
    order: { id: 'DESC' },
  })
  if (!run?.completedAt || run.coverage !== null) return run ?? undefined
  const isRecent = ctx.now().getTime() - run.completedAt.getTime() < keptMs && run.completedAt >= changedAt
  return isRecent ? run : undefined
}

const countRuns = ({ db }: Context, projectId: string, commitSha: string) =>
  db.getRepository(TestRunEntity).count({ where: { projectId, commitSha } })

async function startRun(
  ctx: Context,
  projectId: string,
  { commitSha, branch }: AnalyzedCommit,
  idempotencyKey: string,
): Promise<TestRunRow> {
  const asked = { projectId, commitSha, branch: branch ?? undefined, type: 'ALL' as const, idempotencyKey }
  const { id } = await triggerRun(ctx, asked)
  return ctx.db.getRepository(TestRunEntity).findOneByOrFail({ id })
}

/** The beginning of the lines with which the tools of Assay say in the log why they measured nothing. */
const logged = '(?n)^(?:# )?No coverage: (.{1,250})'

/** Finds the reason in the log of the run, or else in the notes of its plan. Returns null if neither names it. */
async function whyUnmeasured({ db }: Context, { id, plan }: TestRunRow): Promise<string | null> {
  const [line] = await db.query<{ reason: string | null }[]>(
    `SELECT substring(text FROM $2) AS reason FROM test_run_log
      WHERE run_id = $1 AND text ~ $2 ORDER BY first_line DESC LIMIT 1`,
    [id, logged],
  )
  const notes = plan?.flatMap((part) => part.notes) ?? []
  return line?.reason ?? plannedReason(notes)
}

const endSentence = (text: string) => (text.endsWith('.') ? text : `${text}.`)

function describe({ id, status, error, totalTests }: TestRunRow, reason: string | null): string {
  const intro = `The coverage is estimated, because the run ${id}`
  if (status === 'CANCELLED') return `${intro} was cancelled. Start another with testRuns.trigger.`
  const next = 'Fix the cause, then start a run with testRuns.trigger.'
  if (error) return `${intro} has no result: ${error.message} ${next}`
  if (totalTests === 0) return `${intro} found no tests. ${next}`
  if (reason !== null) return `${intro} measured none: ${endSentence(reason.trim())} ${next}`
  return `${intro} left no coverage report. Its log shows what the tests wrote. ${next}`
}
