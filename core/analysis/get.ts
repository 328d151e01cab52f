import { IsNull } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import type { WatchedRecords } from '../jobs/changes.ts'
import { endingRecords, waitForEnd } from '../jobs/wait-for-end.ts'
import { findOwnProject, getOwnProject } from '../projects/get.ts'
import type { ProjectRef } from '../projects/schema.ts'
import { AnalysisEntity, type AnalysisRow } from './entity.ts'
import { presentAnalysis } from './present.ts'
import { isPending } from './rank-anew.ts'
import type { Analysis, AnalysisWithResult, GetAnalysis, ListAnalyses } from './schema.ts'
import type { AnalysisResult, RankingCoverage } from '../../engines/analysis/schema.ts'

const unendedAnalyses = endingRecords('analyses', ['pending', 'running'])

/** Returns an analysis. On request it waits for the end and includes the result. */
export async function getAnalysis(ctx: Context, input: GetAnalysis): Promise<AnalysisWithResult> {
  await requireOwnAnalysis(ctx, input.analysisId)
  const row = await waitForAnalysis(ctx, input.analysisId, input.waitSeconds * 1_000)
  const result = input.includeResult ? await loadResult(ctx, row.id) : null
  return { ...presentAnalysis(ctx, row), result }
}

/** Lists the analyses of a project without their results, newest first. */
export async function getProjectAnalyses(ctx: Context, input: ListAnalyses): Promise<Analysis[]> {
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const { limit, offset, snapshotId } = input
  const rows = await ctx.db.getRepository(AnalysisEntity).find({
    where: { projectId: project.id, ...(snapshotId === undefined ? {} : { snapshotId: snapshotId ?? IsNull() }) },
    order: { id: 'DESC' },
    take: limit,
    skip: offset,
  })
  return rows.map((row) => presentAnalysis(ctx, row))
}

/** Returns the latest completed analysis of the repository with its result. */
export async function getLatestProjectAnalysis(ctx: Context, input: ProjectRef): Promise<AnalysisWithResult> {
  const row = await latestAnalysis(ctx, input)
  return { ...presentAnalysis(ctx, row), result: await loadResult(ctx, row.id) }
}

/** @throws AppError 404 if the project has no completed analysis */
export async function latestAnalysis(ctx: Context, input: ProjectRef): Promise<Omit<AnalysisRow, 'result'>> {
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const row = await ctx.db.getRepository(AnalysisEntity).findOne({
    where: { projectId: project.id, status: 'completed', snapshotId: IsNull() },
    order: { id: 'DESC' },
  })
  if (!row)
    throw notFound(
      'analysis',
      'The project has no completed analysis. Call analysis.analyzeRepository first.',
      procedureHint('analysis.analyzeRepository'),
    )
  return row
}

/** A commit with a completed analysis. */
export interface AnalyzedCommit {
  id: string
  commitSha: string
  branch: string | null
  /** Set if the commit is a snapshot. */
  snapshotId: string | null
}

/** Finds the latest completed analysis of a project's repository, of one of its commits, or of a snapshot. */
export async function findAnalyzed(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  of: { commitSha?: string; branch?: string; snapshotId?: string } = {},
): Promise<AnalyzedCommit | undefined> {
  const row = await db.getRepository(AnalysisEntity).findOne({
    where: { projectId, status: 'completed', ...of, snapshotId: of.snapshotId ?? IsNull() },
    select: { id: true, commitSha: true, branch: true, snapshotId: true },
    order: { id: 'DESC' },
  })
  return row?.commitSha ? { ...row, commitSha: row.commitSha } : undefined
}

const unrankedAnalyses: WatchedRecords = {
  name: 'rankings',
  states: `SELECT id, 'unfinished' AS state FROM analyses
            WHERE id = ANY($1::text[]) AND ranking_requested_at > coalesce(ranked_at, '-infinity')`,
}

/**
 * Waits until the ranking of an analysis takes the newest coverage into account, or the time is up.
 *
 * @returns the coverage that the ranking uses, and whether newer coverage is still being taken into account
 */
export async function waitForRanking(
  ctx: Context,
  id: string,
  milliseconds: number,
): Promise<{ coverage: RankingCoverage | null; isCurrent: boolean }> {
  const row = await waitForEnd(ctx, {
    records: unrankedAnalyses,
    id,
    milliseconds,
    load: () => ctx.db.getRepository(AnalysisEntity).findOneBy({ id }),
    hasEnded: (row) => row === null || !isPending(row),
  })
  return { coverage: row?.coverage ?? null, isCurrent: row === null || !isPending(row) }
}

/** Waits until the analysis has ended, the time is up, the caller disconnects or the program stops. */
export async function waitForAnalysis(
  ctx: Context,
  analysisId: string,
  milliseconds: number,
): Promise<Omit<AnalysisRow, 'result'>> {
  const load = async () => {
    const row = await ctx.db.getRepository(AnalysisEntity).findOneBy({ id: analysisId })
    if (!row) throw notFound('analysis')
    return row
  }
  return waitForEnd(ctx, {
    records: unendedAnalyses,
    id: analysisId,
    milliseconds,
    load,
    hasEnded: ({ status }) => status === 'completed' || status === 'failed',
  })
}

export async function loadResult(ctx: Context, analysisId: string): Promise<AnalysisResult | null> {
  const row = await ctx.db
    .getRepository(AnalysisEntity)
    .findOne({ where: { id: analysisId }, select: { id: true, result: true } })
  return row?.result ?? null
}

/** @throws AppError 404, also for an analysis of another owner */
async function requireOwnAnalysis(ctx: Context, analysisId: string): Promise<void> {
  const row = await ctx.db
    .getRepository(AnalysisEntity)
    .findOne({ where: { id: analysisId }, select: { id: true, projectId: true } })
  const project = row && (await findOwnProject(ctx, row.projectId))
  if (!project)
    throw notFound(
      'analysis',
      'projects.getProjectAnalyses lists the analyses of a project.',
      procedureHint('projects.getProjectAnalyses'),
    )
}
