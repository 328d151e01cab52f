import { analyzeCommit, analyzeRepository, scopeOf } from '../analysis/analyze-repository.ts'
import { rankScope } from '../analysis/rank-scope.ts'
import type { AnalyzedRepository, AnalyzeRepository } from '../analysis/schema.ts'
import type { Context } from '../base/context.ts'
import { requireScope } from '../base/permissions.ts'
import { getOwnProject } from '../projects/get.ts'
import { measureCommit, refuseMeasuringSnapshot } from './measure.ts'

/**
 * Analyzes the repository like `analyzeRepository`; with `measure`, by measured coverage.
 *
 * @throws AppError 409 with the hint `analysis_running` or `measuring` if that takes longer than `waitSeconds`
 */
export async function analyzeMeasured(ctx: Context, input: AnalyzeRepository): Promise<AnalyzedRepository> {
  const { measure, projectId, waitSeconds } = input
  if (!measure) return analyzeRepository(ctx, input)
  refuseMeasuringSnapshot(input)
  requireScope(ctx, 'testRuns.trigger')
  const project = await getOwnProject(ctx, projectId, 'member')
  const startedAt = performance.now()
  const analyzed = await analyzeCommit(ctx, input, waitSeconds)
  const scope = scopeOf(input)
  const rank = () => rankScope(ctx, project, analyzed, scope)
  const measurement = await measureCommit(ctx, {
    projectId,
    analyzed,
    waitSeconds: Math.max(0, waitSeconds - (performance.now() - startedAt) / 1_000),
    beforeRun: scope && rank,
  })
  const result = { ...(await rank()), measurement }
  const { problem } = measurement
  if (problem === null) return result
  return { ...result, warnings: [{ code: 'coverage_unknown', message: problem }, ...(result.warnings ?? [])] }
}
