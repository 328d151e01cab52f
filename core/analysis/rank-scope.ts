import type { Context } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import { takeTurn } from '../http/take-turn.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { AnalysisResult, AnalysisScope } from '../../engines/analysis/schema.ts'
import { analyzeProject, Refusal } from './analyze-project.ts'
import type { AnalyzedCommit } from './get.ts'

/**
 * Ranks an analyzed commit, or the part of it that the scope names, with the newest coverage, and stores nothing. The
 * cache of the project has the facts of the commit.
 *
 * @throws AppError 400 that names what does not exist and the nearest names
 */
export function rankScope(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  { commitSha, branch }: AnalyzedCommit,
  scope?: AnalysisScope,
): Promise<AnalysisResult> {
  return takeTurn(ctx, 'ranking', async (turn) => {
    try {
      const ref = { commitSha, branch: branch ?? undefined }
      const { json } = await analyzeProject(turn, project, { ref, isKnown: true, ...(scope && { scope }) })
      return JSON.parse(json) as AnalysisResult
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code, message } = error.reason
      const isOfScope = code === 'scope_not_found' || code === 'reference_not_found'
      throw invalid(isOfScope ? message : `Assay could not analyze the repository: ${message}`, { cause: error })
    }
  })
}
