import { shown } from '../base/repository-path.ts'
import type { AiSource } from '../ai/schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { conflict, invalid, invalidField } from '../base/errors.ts'
import type { SuggestionRow } from '../suggestions/entity.ts'
import type { VerificationTarget } from '../../engines/verdicts/schema.ts'

/** @throws AppError where that is no code of the latest analysis */
export function targetOf(
  analysis: AnalysisResult,
  suggestion: SuggestionRow | undefined,
  given: VerificationTarget | undefined,
): VerificationTarget {
  const target = suggestion ? { path: suggestion.filePath, ...suggestion.target } : given
  if (!target) throw invalid('Give either a target or the suggestionId of a suggestion.')
  const file = analysis.files.find(({ path }) => path === target.path)
  if (!file) {
    if (suggestion) throw outdated('file')
    const listing = 'projects.getLatestProjectAnalysis'
    throw invalidField('target.path', `is no file of the latest analysis; ${listing} lists them`, [listing])
  }
  if (file.tags?.some((tag) => tag === 'symlink' || tag === 'submodule')) {
    const kind = file.tags.includes('symlink') ? 'symbolic link' : 'submodule'
    throw invalidField('target.path', `is a ${kind} and has no code of its own`)
  }
  return findPart(analysis, target) ?? target
}

/** Where the symbol is by now; undefined where the analysis did not rank it. */
export function findPart(
  { testCandidates = [] }: AnalysisResult,
  { path, symbol }: Pick<VerificationTarget, 'path' | 'symbol'>,
): VerificationTarget | undefined {
  const candidate = testCandidates.find((candidate) => candidate.path === path && candidate.symbol === symbol)
  return candidate && { path, symbol, startLine: candidate.startLine, endLine: candidate.endLine }
}

const mostListed = 10

/**
 * Not everything that there is was ranked: straight one-liners never are. So where the analysis does not know a symbol,
 * the text of its file decides.
 *
 * @param sources - what was read of the target's file
 * @returns a warning where it may be there or not
 * @throws AppError where it is not there
 */
export function requireSymbol(
  analysis: AnalysisResult,
  { path, symbol }: VerificationTarget,
  sources: readonly AiSource[],
  isSuggested: boolean,
): string | undefined {
  if (symbol === undefined || findPart(analysis, { path, symbol })) return undefined
  const [name, file] = [JSON.stringify(shown(symbol)), shown(path)]
  const unknown = `The analysis ranks nothing called ${name} in ${file}`
  // What a file exports by default need not have a name in its text.
  if (symbol === 'default' || sources.some(({ content }) => mentions(content, symbol))) {
    return `${unknown}: the AI service has to find it by its name.`
  }
  if (sources.some(({ startLine }) => startLine !== undefined)) {
    return `${unknown}, which is too large to be read whole: it may not be there.`
  }
  if (isSuggested) throw outdated('symbol')
  const ranked = (analysis.testCandidates ?? []).filter((candidate) => candidate.path === path).slice(0, mostListed)
  const names = ranked.map((candidate) => shown(candidate.symbol)).join(', ')
  const known = names === '' ? '' : `, where the analysis ranks: ${names}`
  throw invalidField('target.symbol', `there is no ${name} in ${file} at the analysed commit${known}.`)
}

/** Looks for the last part of a qualified name, as a word. */
function mentions(text: string, symbol: string): boolean {
  const name = symbol.match(/[\p{L}\p{N}_]+/gu)?.at(-1)
  return name === undefined
    ? text.includes(symbol)
    : new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, 'u').test(text)
}

const outdated = (what: 'file' | 'symbol') =>
  conflict(`The ${what} of this suggestion is no longer in the latest analysis. Request new suggestions.`)
