import { analyzeRepository, scopeOf } from '../analysis/analyze-repository.ts'
import { findAnalyzed } from '../analysis/get.ts'
import { rankScope } from '../analysis/rank-scope.ts'
import type { AnalyzeRepository } from '../analysis/schema.ts'
import type { Context } from '../base/context.ts'
import { requireScope } from '../base/permissions.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { getOwnProject } from '../projects/get.ts'
import { measureCommit } from './measure.ts'

const waitSeconds = 45

/** Analyzes the repository like `analyzeRepository`; with `measure`, by measured coverage. */
export async function analyzeMeasured(ctx: Context, input: AnalyzeRepository): Promise<AnalysisResult> {
  const { measure, projectId } = input
  if (!measure) return analyzeRepository(ctx, input)
  requireScope(ctx, 'testRuns.trigger')
  const project = await getOwnProject(ctx, projectId, 'member')
  // A scope that names what does not exist is refused before the tests run.
  const estimated = await analyzeRepository(ctx, input)
  const { commitSha } = estimated
  const { runId, problem } = await measureCommit(ctx, { projectId, commitSha, waitSeconds })
  if (problem !== null) {
    return { ...estimated, warnings: [{ code: 'coverage_unknown', message: problem }, ...(estimated.warnings ?? [])] }
  }
  const analyzed = await findAnalyzed(ctx, projectId, commitSha)
  return runId === null || !analyzed ? estimated : rankScope(ctx, project, analyzed, scopeOf(input))
}
