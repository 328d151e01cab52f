import { In, IsNull, Not } from 'typeorm'
import type { Context } from '../base/context.ts'
import { conflict } from '../base/errors.ts'
import { requireScope } from '../base/permissions.ts'
import { requireAnalyzed } from '../analysis/analyze-repository.ts'
import { AnalysisEntity } from '../analysis/entity.ts'
import { type AnalyzedCommit, waitForRanking } from '../analysis/get.ts'
import type { RankingCoverage } from '../../engines/analysis/schema.ts'
import { getOwnProject } from '../projects/get.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { waitForRun } from './get.ts'
import { hasEnded } from './present.ts'
import { triggerRun } from './trigger.ts'

export interface MeasurementWanted {
  projectId: string
  waitSeconds: number
  /** By default the latest analysis. */
  analyzed?: AnalyzedCommit
  /** Called before a run is triggered, to refuse what the run would be in vain for. */
  beforeRun?: (() => Promise<unknown>) | undefined
}

/** What came of the wish to measure. */
export interface Measurement {
  /** The run that measured or was to measure; null if the coverage was known before. */
  runId: string | null
  /** Why the coverage stays estimated; null if it is measured. */
  problem: string | null
}

/** After this time a run without coverage no longer tells what another run would come to. */
const keptMs = 60 * 60_000
/** The ranking takes seconds, and the caller has waited for the run. */
const rankingMs = 10_000

/**
 * Measures the coverage of an analyzed commit, by default of the latest one, with a run of all tests, unless its ranking
 * has measured coverage that is of use. Repeated and concurrent calls wait for the same run.
 *
 * @throws AppError 403 for a caller who must not trigger runs; 409 with the hint `measuring` if the run takes longer than
 *   `waitSeconds`
 */
export async function measureCommit(
  ctx: Context,
  { projectId, waitSeconds, beforeRun, ...wanted }: MeasurementWanted,
): Promise<Measurement> {
  requireScope(ctx, 'testRuns.trigger')
  await getOwnProject(ctx, projectId, 'member')
  const until = performance.now() + waitSeconds * 1_000
  const left = () => Math.max(0, until - performance.now())
  const analyzed = wanted.analyzed ?? (await requireAnalyzed(ctx, { projectId, waitSeconds }))
  await waitForRanking(ctx, projectId, left())
  if (isOfUse(await rankingCoverage(ctx, analyzed.id))) return { runId: null, problem: null }

  // Counted first: a call that counts the run of another one also finds it, and one that does not gets it by its key.
  const earlier = await countRuns(ctx, projectId, analyzed.commitSha)
  const known = await findRun(ctx, projectId, analyzed.commitSha)
  if (!known) await beforeRun?.()
  const started = known ?? (await startRun(ctx, projectId, analyzed, `measure-${analyzed.commitSha}-${earlier}`))
  const run = hasEnded(started) ? started : await waitForRun(ctx, started.id, left())
  const again = { hint: { kind: 'measuring', runId: run.id } } as const
  if (!hasEnded(run)) {
    throw conflict(`The run ${run.id} measures the coverage and has not ended. Repeat the call to wait for it.`, again)
  }
  if (run.coverage === null) return { runId: run.id, problem: describe(run) }
  await waitForRanking(ctx, projectId, Math.max(rankingMs, left()))
  return { runId: run.id, problem: null }
}

/** Coverage of which every file has changed says nothing about the commit. */
const isOfUse = (coverage: RankingCoverage | null): boolean =>
  coverage !== null &&
  coverage.measuredFiles > 0 &&
  (coverage.behind === 0 || coverage.changedFiles < coverage.measuredFiles)

async function rankingCoverage({ db }: Context, id: string): Promise<RankingCoverage | null> {
  const row = await db.getRepository(AnalysisEntity).findOne({ where: { id }, select: { id: true, coverage: true } })
  return row?.coverage ?? null
}

/** Finds the latest run of all tests of the commit that still runs, has measured coverage, or ended without a moment ago. */
async function findRun(ctx: Context, projectId: string, commitSha: string): Promise<TestRunRow | undefined> {
  const run = await ctx.db.getRepository(TestRunEntity).findOne({
    where: {
      projectId,
      commitSha,
      type: 'ALL',
      source: Not('upload' as const),
      selection: IsNull(),
      withSecrets: true,
      status: In(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED']),
    },
    order: { id: 'DESC' },
  })
  if (!run) return undefined
  const isRecent = run.completedAt === null || ctx.now().getTime() - run.completedAt.getTime() < keptMs
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

function describe({ id, error, totalTests }: TestRunRow): string {
  const intro = `The coverage is estimated, because the run ${id}`
  if (error) return `${intro} has no result: ${error.message}`
  if (totalTests === 0) return `${intro} found no tests.`
  return `${intro} left no coverage report. Its log shows what the tests wrote.`
}
