import { shown } from '../base/repository-path.ts'
import type { AiSource } from '../ai/schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { conflict, invalid, invalidField } from '../base/errors.ts'
import type { SuggestionRow } from '../suggestions/entity.ts'
import type { VerificationTarget } from '../../engines/verdicts/schema.ts'

/** @throws AppError if the target is not code of the latest analysis */
export function targetOf(
  analysis: AnalysisResult,
  suggestion: SuggestionRow | undefined,
  given: VerificationTarget | undefined,
): VerificationTarget {
  const target = suggestion ? { path: suggestion.filePath, ...suggestion.target } : given
  if (!target) throw invalid('Pass either `target` or `suggestionId`.')
  const file = analysis.files.find(({ path }) => path === target.path)
  if (!file) {
    if (suggestion) throw outdated('file')
    const listing = 'projects.getLatestProjectAnalysis'
    throw invalidField('target.path', `is not a file of the analyzed commit. Call ${listing} for its files`, [listing])
  }
  if (file.tags?.some((tag) => tag === 'symlink' || tag === 'submodule')) {
    const kind = file.tags.includes('symlink') ? 'symbolic link' : 'submodule'
    throw invalidField('target.path', `is a ${kind} and has no code`)
  }
  return findPart(analysis, target) ?? target
}

/** Returns the symbol with its current lines; undefined if the analysis did not rank it. */
export function findPart(
  { testCandidates = [] }: AnalysisResult,
  { path, symbol }: Pick<VerificationTarget, 'path' | 'symbol'>,
): VerificationTarget | undefined {
  const candidate = testCandidates.find((candidate) => candidate.path === path && candidate.symbol === symbol)
  return candidate && { path, symbol, startLine: candidate.startLine, endLine: candidate.endLine }
}

const maxListed = 10

/**
 * Requires that the symbol exists. The analysis does not rank all symbols, for example no trivial functions, so the text
 * of the file decides about the others.
 *
 * @param sources - the text of the target's file, or its beginning
 * @returns a warning if the symbol may not exist
 * @throws AppError if it does not exist
 */
export function requireSymbol(
  analysis: AnalysisResult,
  { path, symbol }: VerificationTarget,
  sources: readonly AiSource[],
  isSuggested: boolean,
): string | undefined {
  if (symbol === undefined || findPart(analysis, { path, symbol })) return undefined
  const [name, file] = [JSON.stringify(shown(symbol)), shown(path)]
  // A run of the tests between two calls changes the ranking.
  const why = analysis.summary.coverage ? 'because tests run all of it, or it is trivial' : 'for example because it is trivial'
  const unknown = `The analysis does not rank ${name} in ${file}, ${why}`
  // A default export may have no name in the text.
  if (symbol === 'default' || sources.some(({ content }) => mentions(content, symbol))) {
    return `${unknown}. The AI service looks for it by name.`
  }
  if (sources.some(({ startLine }) => startLine !== undefined)) {
    return `${unknown}. The file is too large to read completely, so the symbol may not exist.`
  }
  if (isSuggested) throw outdated('symbol')
  const ranked = (analysis.testCandidates ?? []).filter((candidate) => candidate.path === path).slice(0, maxListed)
  const names = ranked.map((candidate) => shown(candidate.symbol)).join(', ')
  const known = names === '' ? '' : `. Ranked symbols of this file: ${names}`
  throw invalidField('target.symbol', `${file} has no ${name} at the analyzed commit${known}.`)
}

/** Looks for the last part of a qualified name, as a word. */
function mentions(text: string, symbol: string): boolean {
  const name = symbol.match(/[\p{L}\p{N}_]+/gu)?.at(-1)
  return name === undefined
    ? text.includes(symbol)
    : new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, 'u').test(text)
}

const outdated = (what: 'file' | 'symbol') =>
  conflict(`The latest analysis no longer has the ${what} of this suggestion. Request new suggestions.`)
