import { z } from 'zod'
import type { Context } from '../context.ts'
import { getOwnProject } from '../projects/get.ts'
import { requestSuggestions } from './ai-client.ts'
import { fitToBudget } from './budget.ts'
import { getLatestProjectAnalysis } from './get.ts'
import { internal } from '../errors.ts'
import { parseInput } from '../input.ts'
import { AnalysisResult, type SuggestTests, type SuggestTestsResult } from './schema.ts'

const Override = z.object({ analysisOverride: AnalysisResult.optional() })

/** Suggests tests for the latest stored analysis, or for the analysis that the caller brings along. */
export async function suggestTests(ctx: Context, input: SuggestTests): Promise<SuggestTestsResult> {
  await getOwnProject(ctx, input.projectId, 'member')
  const { analysisOverride } = parseInput(Override, input)
  const analysis = analysisOverride ?? (await latestResult(ctx, input.projectId))
  const answer = await requestSuggestions(ctx, {
    analysis: fitToBudget(analysis),
    max_suggestions: input.maxSuggestions,
  })
  const suggestions = answer.suggestions.slice(0, input.maxSuggestions)
  return {
    success: true,
    commitSha: answer.commit_sha,
    suggestions,
    summary: answer.summary,
    suggestionCount: suggestions.length,
  }
}

async function latestResult(ctx: Context, projectId: string): Promise<AnalysisResult> {
  const { id, result } = await getLatestProjectAnalysis(ctx, { projectId })
  if (!result) throw internal(`The analysis ${id} is completed but has no result.`)
  return result
}
