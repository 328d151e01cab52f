import type { Context } from '../base/context.ts'
import { conflict, internal, invalid, procedureHint, timeout } from '../base/errors.ts'
import { AnalysisEntity } from './entity.ts'
import { getLatestResult, loadResult, waitForAnalysis, waitForRanking } from './get.ts'
import type { StartAnalysis } from './schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { startAnalysis } from './start.ts'

const maxWaitMs = 180_000

/** Analyzes the repository and returns the result. The analysis continues if the caller stops waiting. */
export async function analyzeRepository(ctx: Context, input: StartAnalysis): Promise<AnalysisResult> {
  const { id } = await startAnalysis(ctx, input)
  const result = await waitForResult(ctx, id, maxWaitMs)
  if (result) return result
  throw timeout(
    `The analysis continues. Get it with analysis.getAnalysis and analysisId ${id}.`,
    procedureHint('analysis.getAnalysis'),
  )
}

/**
 * Returns the result of the latest completed analysis. Analyzes the project first if it has none.
 *
 * @throws AppError 409 with the hint `analysis_running` if that takes longer than `waitSeconds`
 */
export async function requireResult(
  ctx: Context,
  { projectId, waitSeconds }: { projectId: string; waitSeconds: number },
): Promise<AnalysisResult> {
  const isAnalyzed = await ctx.db.getRepository(AnalysisEntity).existsBy({ projectId, status: 'completed' })
  if (isAnalyzed) {
    await waitForRanking(ctx, projectId, waitSeconds * 1_000)
    return getLatestResult(ctx, projectId)
  }
  const { id } = await startAnalysis(ctx, { projectId })
  const result = await waitForResult(ctx, id, waitSeconds * 1_000)
  if (result) return result
  throw conflict(`The first analysis of this project, ${id}, is still running. Repeat the call to wait for it.`, {
    hint: { kind: 'analysis_running', analysisId: id },
  })
}

/** Returns undefined if the analysis has not ended in time. */
async function waitForResult(
  ctx: Context,
  analysisId: string,
  milliseconds: number,
): Promise<AnalysisResult | undefined> {
  const { status, error } = await waitForAnalysis(ctx, analysisId, milliseconds)
  if (status === 'failed') {
    throw invalid(`Assay could not analyze the repository: ${error?.message ?? 'no reason was recorded'}`)
  }
  if (status !== 'completed') return undefined
  const result = await loadResult(ctx, analysisId)
  if (!result) throw internal(`The analysis ${analysisId} is completed but has no result.`)
  return result
}
