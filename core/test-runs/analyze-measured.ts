import { analyzeCommit, analyzeRepository, scopeOf } from '../analysis/analyze-repository.ts'
import { rankScope } from '../analysis/rank-scope.ts'
import type { AnalyzeRepository } from '../analysis/schema.ts'
import type { Context } from '../base/context.ts'
import { requireScope } from '../base/permissions.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { getOwnProject } from '../projects/get.ts'
import { measureCommit } from './measure.ts'

/** Analyzes the repository like `analyzeRepository`; with `measure`, by measured coverage. */
export async function analyzeMeasured(ctx: Context, input: AnalyzeRepository): Promise<AnalysisResult> {
  const { measure, projectId, waitSeconds } = input
  if (!measure) return analyzeRepository(ctx, input)
  requireScope(ctx, 'testRuns.trigger')
  const project = await getOwnProject(ctx, projectId, 'member')
  const analyzed = await analyzeCommit(ctx, input)
  const rank = () => rankScope(ctx, project, analyzed, scopeOf(input))
  const { problem } = await measureCommit(ctx, { projectId, analyzed, waitSeconds, beforeRun: rank })
  const result = await rank()
  if (problem === null) return result
  return { ...result, warnings: [{ code: 'coverage_unknown', message: problem }, ...(result.warnings ?? [])] }
}
