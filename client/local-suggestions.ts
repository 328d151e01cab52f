import type { Suggestion } from '../core/ai/schema.ts'
import type { SuggestTestsResult } from '../core/suggestions/schema.ts'
import type { AnalysisResult, TestCandidate } from '../engines/analysis/schema.ts'

const maxReasons = 8

/**
 * Makes suggestions of the best candidates of an analysis: their cases and briefs. Needs no project, and stores nothing.
 *
 * @param count - the maximum number of suggestions
 */
export function suggestionsOf(analysis: AnalysisResult, count: number): SuggestTestsResult {
  const { commitSha, summary, testCandidates = [] } = analysis
  const { scope, testing, coverage, candidateCount = testCandidates.length } = summary
  const suggestions = testCandidates
    .slice(0, count)
    .map((candidate, index) => toSuggestion(candidate, `Rank ${index + 1} of ${candidateCount}`))
  return {
    success: true,
    commitSha,
    suggestions,
    summary:
      suggestions.length === 0
        ? `Assay ranks no function ${scope ? 'in this scope' : 'of this repository'}.`
        : `The best ${suggestions.length} of ${candidateCount} ranked candidates.`,
    suggestionCount: suggestions.length,
    ...(coverage === undefined ? {} : { coverage }),
    ...(scope ? { scope } : {}),
    ...(testing ? { testing } : {}),
  }
}

function toSuggestion(candidate: TestCandidate, rank: string): Suggestion {
  const {
    path,
    symbol,
    startLine,
    endLine,
    reasons,
    cases = [],
    moreCases,
    hasUncountedCases,
    brief,
    through,
  } = candidate
  const count = cases.length + (moreCases ?? 0)
  const least = hasUncountedCases ? 'at least ' : ''
  const what = count === 0 ? '' : `: ${least}${count === 1 ? '1 case' : `${count} cases`} without a known test`
  return {
    file_path: path,
    test_type: 'unit',
    description: `Unit test for ${symbol}${what}.`,
    rationale: `${rank}: ${reasons.slice(0, maxReasons).join(', ')}.`,
    // Only the server writes examples.
    example_code: '',
    target: { symbol, startLine, endLine },
    ...(cases.length > 0 ? { case_ids: cases.map(({ id }) => id), cases } : {}),
    ...(moreCases === undefined ? {} : { moreCases }),
    ...(hasUncountedCases ? { hasUncountedCases } : {}),
    ...(brief ? { brief } : {}),
    ...(through ? { through } : {}),
  }
}
