import { isRepositoryPath, storable } from '../base/repository-path.ts'
import type { Suggestion } from '../ai/schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'

const longestText = 8_192
const maxCodeLength = 65_536
const longestSymbol = 500
const longestPath = 1_024

/** Which files suggestions may be about. */
export type IsKnown = (path: string) => boolean

/**
 * The files that the analysis lists, as it spells them.
 *
 * @param isWhole - false where it may have been cut to be sent: then any other path inside a repository will do, too
 */
export function knownFiles({ files }: AnalysisResult, isWhole: boolean): IsKnown {
  const paths = new Set(files.map(({ path }) => path))
  return (path) => path.length <= longestPath && (paths.has(path) || (!isWhole && isRepositoryPath(path)))
}

/**
 * A suggestion as it may be stored and shown: its texts cut, and without an id, which is not for the AI service to give.
 *
 * @returns undefined where it is about nothing that there is
 */
export function checkSuggestion({ id: _id, ...suggestion }: Suggestion, isKnown: IsKnown): Suggestion | undefined {
  const { target } = suggestion
  if (!isKnown(suggestion.file_path)) return undefined
  if (target && (target.symbol === '' || target.symbol.length > longestSymbol)) return undefined
  return {
    ...suggestion,
    description: storable(suggestion.description, longestText),
    rationale: storable(suggestion.rationale, longestText),
    example_code: storable(suggestion.example_code, maxCodeLength),
    ...(target ? { target: { ...target, symbol: storable(target.symbol, longestSymbol) } } : {}),
  }
}
