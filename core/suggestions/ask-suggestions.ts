import type { Context } from '../base/context.ts'
import { fingerprintOf } from './fingerprint.ts'
import { subjectOf } from './store.ts'
import type { Taken } from './taken.ts'
import { requestSuggestions } from '../ai/client.ts'
import { fitToBudget } from '../ai/budget.ts'
import { candidateFinder, hasOpenCode } from './candidate-facts.ts'
import { checkSuggestion, type IsKnown } from './check-suggestion.ts'
import type { Material } from '../ai/read-material.ts'
import { storable } from '../base/repository-path.ts'
import type { Suggestion } from '../ai/schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'

export interface SuggestionsWanted {
  analysis: AnalysisResult
  count: number
  taken: Taken
  material: Material
  isKnown: IsKnown
}

export interface FoundSuggestions {
  suggestions: Suggestion[]
  summary: string
  warnings: string[]
  /** Of the model; null if none was asked. */
  tokensUsed: number | null
}

/** Asks a second time if fewer suggestions than requested remain after the checks. */
const maxRounds = 2
const maxSummaryLength = 8_192

/**
 * Asks the AI service for suggestions and checks the answer: removes duplicates, suggestions for unknown files, and
 * suggestions for code that already has a test or a decided suggestion.
 */
export async function askForSuggestions(
  ctx: Context,
  { analysis, count, taken, material, isKnown }: SuggestionsWanted,
): Promise<FoundSuggestions> {
  const candidateOf = candidateFinder(analysis.testCandidates ?? [])
  const found = new Map<string, Suggestion>()
  const seen = new Set<string>()
  const isOpen: IsOpen = (path, symbol) => !taken.hasCode(path, symbol) && !seen.has(JSON.stringify([path, symbol]))
  let first: { summary: string; warnings: string[] } | undefined
  let tokensUsed: number | null = null
  for (let round = 1; round <= maxRounds && found.size < count; round++) {
    const left = withoutTaken(analysis, isOpen)
    if (!left) break
    const missing = count - found.size
    const answer = await requestSuggestions(ctx, {
      analysis: fitToBudget(left),
      max_suggestions: missing,
      ...material,
      avoid: taken.latest,
    }).catch((error: unknown) => {
      // The suggestions of the first round are better than an error.
      if (found.size === 0 || ctx.signal.aborted) throw error
      ctx.log.warn({ err: error }, 'the AI service failed to add more suggestions')
      return undefined
    })
    if (!answer) break
    if (answer.tokensUsed !== null) tokensUsed = (tokensUsed ?? 0) + answer.tokensUsed
    first ??= { summary: storable(answer.summary, maxSummaryLength), warnings: answer.warnings ?? [] }
    for (const given of answer.suggestions) {
      seen.add(JSON.stringify([given.file_path, given.target?.symbol ?? null]))
      const suggestion = checkSuggestion(given, isKnown, candidateOf)
      if (!suggestion || found.size >= count) continue
      const subject = subjectOf(suggestion)
      const fingerprint = fingerprintOf(subject)
      if (!taken.has(subject) && !found.has(fingerprint)) found.set(fingerprint, suggestion)
    }
    if (answer.suggestions.length < missing) break
  }
  const suggestions = [...found.values()]
  if (!first) return { suggestions, summary: nothingLeft, warnings: [], tokensUsed }
  return { suggestions, ...first, warnings: [...leftOut(analysis, taken), ...first.warnings], tokensUsed }
}

/** Warns about omitted candidates and says how to get a test for one. */
function leftOut({ testCandidates = [] }: AnalysisResult, taken: Taken): string[] {
  const count = testCandidates.filter(({ path, symbol }) => taken.hasCode(path, symbol)).length
  if (count === 0) return []
  const whose =
    count === 1
      ? '1 ranked candidate is omitted because it has'
      : `${count} ranked candidates are omitted because each has`
  return [
    `${whose} a generated test, or a suggestion that was accepted or dismissed. To generate a test anyway, name its target in analysis.generateTests.`,
  ]
}

const nothingLeft =
  'All ranked candidates have a test, or a suggestion that was accepted or dismissed. Analyze a newer commit, or name a target in analysis.generateTests.'

type IsOpen = (path: string, symbol: string | null) => boolean

/**
 * Returns the analysis without omitted candidates and without those that tests run completely; undefined if none is left.
 * Without a ranking it omits files.
 */
export function withoutTaken(analysis: AnalysisResult, isOpen: IsOpen): AnalysisResult | undefined {
  const { testCandidates = [], files } = analysis
  if (testCandidates.length === 0) return { ...analysis, files: files.filter(({ path }) => isOpen(path, null)) }
  const left = testCandidates.filter((candidate) => isOpen(candidate.path, candidate.symbol) && hasOpenCode(candidate))
  if (left.length === 0) return undefined
  const { candidateCount } = analysis.summary
  const missing = testCandidates.length - left.length
  return {
    ...analysis,
    // Ranks count the remaining candidates.
    summary: {
      ...analysis.summary,
      ...(candidateCount === undefined ? {} : { candidateCount: Math.max(left.length, candidateCount - missing) }),
    },
    testCandidates: left,
  }
}
