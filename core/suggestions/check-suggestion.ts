import { isRepositoryPath, storable } from '../base/repository-path.ts'
import type { Suggestion } from '../ai/schema.ts'
import { factsFor, type FindCandidate } from './candidate-facts.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'

const maxTextLength = 8_192
const maxCodeLength = 65_536
const maxSymbolLength = 500
const maxPathLength = 1_024

/** Whether suggestions may name this file. */
export type IsKnown = (path: string) => boolean

/**
 * Allows the files that the analysis lists, in its spelling.
 *
 * @param isWhole - false if the list may have been shortened; then any other path inside a repository is also allowed
 */
export function knownFiles({ files, summary, testCandidates = [] }: AnalysisResult, isWhole: boolean): IsKnown {
  // In a scope, only the files of its candidates are wanted.
  const paths = new Set((summary.scope ? testCandidates : files).map(({ path }) => path))
  return (path) =>
    path.length <= maxPathLength && (paths.has(path) || (!isWhole && !summary.scope && isRepositoryPath(path)))
}

/**
 * Prepares a suggestion for storage: shortens its texts, removes the id, which the AI service must not choose, and adds the
 * facts of the analysis.
 *
 * @returns undefined if the suggestion has no allowed file
 */
export function checkSuggestion(
  given: Suggestion,
  isKnown: IsKnown,
  candidateOf: FindCandidate,
): Suggestion | undefined {
  const { case_ids: chosen, file_path, test_type, target } = given
  if (!isKnown(file_path)) return undefined
  if (target && (target.symbol === '' || target.symbol.length > maxSymbolLength)) return undefined
  return {
    file_path,
    test_type,
    description: storable(given.description, maxTextLength),
    rationale: storable(given.rationale, maxTextLength),
    example_code: storable(given.example_code, maxCodeLength),
    ...(target ? { target: { ...target, symbol: storable(target.symbol, maxSymbolLength) } } : {}),
    ...factsFor(candidateOf(given), chosen),
  }
}
