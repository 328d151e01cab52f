import type { AiTarget } from '../../../core/ai/schema.ts'
import type { Candidate, Facts, SourceFile } from '../../repository/facts.ts'
import { type Language, languageOf } from '../../repository/languages.ts'
import { findCandidate } from '../../repository/known-places.ts'
import { isSafePath, oneLine } from '../../repository/safe-text.ts'
import { isOwnSource, isTestFile, stemOf } from '../../repository/source-files.ts'

/** Something to write a test for. */
export interface Target {
  path: string
  language: Language
  /** Place in the ranking, from 1. */
  rank: number
  /** The ranked candidate; undefined for a whole file from an analysis without a ranking. */
  candidate?: Candidate
  file?: { size: number; hasTestOfItsName: boolean }
}

export interface Targets {
  from: 'candidates' | 'files'
  /** Up to the requested number, best first. */
  picked: Target[]
  /** The number of candidates. */
  total: number
}

/**
 * Follows the ranking of the analysis. Without a ranking, picks the largest hand-written files, first those that have no
 * test with the same name.
 */
export function pickTargets(facts: Facts, limit: number, isWanted: (target: Target) => boolean = () => true): Targets {
  const ranked = fromCandidates(facts, limit, isWanted)
  if (ranked.length > 0) return { from: 'candidates', picked: ranked, total: facts.candidateCount }

  const sources = facts.files.filter((file) => isOwnSource(file) && isSafePath(file.path))
  const picked = fromFiles(facts, sources).filter(isWanted).slice(0, limit)
  return { from: 'files', picked, total: sources.length }
}

function fromCandidates(facts: Facts, limit: number, isWanted: (target: Target) => boolean): Target[] {
  const seen = new Set<string>()
  const picked: Target[] = []
  for (const [index, candidate] of facts.candidates.entries()) {
    if (picked.length === limit) break
    const key = JSON.stringify([candidate.path, candidate.symbol, candidate.startLine])
    if (seen.has(key) || !isSafePath(candidate.path) || !isNamed(candidate)) continue
    seen.add(key)
    const target = toTarget(candidate, index + 1)
    if (isWanted(target)) picked.push(target)
  }
  return picked
}

const toTarget = (candidate: Candidate, rank: number): Target => ({
  path: candidate.path,
  language: languageOf(candidate.path, candidate.language) ?? 'other',
  rank,
  candidate,
})

/** The target that the caller requests, ranked or not. Empty if its path or name is unusable. */
export function targetsFor(facts: Facts, { path, symbol, startLine, endLine }: AiTarget, limit: number): Targets {
  const here = facts.candidates.filter((candidate) => candidate.path === path)
  const known = findCandidate(facts, path, symbol)
  const unranked = {
    path,
    symbol: symbol ?? '',
    kind: 'function' as const,
    startLine,
    endLine,
    reasons: [],
    uncovered: [],
    cases: [],
    moreCases: 0,
    nearestTests: here[0]?.nearestTests ?? [],
  }
  const wanted = symbol === undefined ? here : [known ?? unranked]
  const picked = wanted.filter(isNamed).map((candidate, index) => toTarget(candidate, index + 1))
  const whole: Target = { path, language: languageOf(path, undefined) ?? 'other', rank: 1 }
  return {
    from: 'candidates',
    picked: isSafePath(path) ? (picked.length > 0 ? picked : [whole]).slice(0, limit) : [],
    total: Math.max(facts.candidateCount, 1),
  }
}

const isNamed = ({ symbol }: Candidate) => symbol.length <= 500 && oneLine(symbol, 500) !== ''

function fromFiles(facts: Facts, sources: SourceFile[]): Target[] {
  const tested = new Set(facts.files.filter(isTestFile).map((file) => stemOf(file.path)))
  const ordered = sources
    .map((file) => ({ file, hasTestOfItsName: tested.has(stemOf(file.path)) }))
    .toSorted(
      (a, b) =>
        Number(a.hasTestOfItsName) - Number(b.hasTestOfItsName) ||
        b.file.size - a.file.size ||
        compare(a.file.path, b.file.path),
    )
  const paths = new Set<string>()
  return ordered
    .filter(({ file }) => !paths.has(file.path) && paths.add(file.path))
    .map(({ file, hasTestOfItsName }, index) => ({
      path: file.path,
      language: languageOf(file.path, file.language) ?? 'other',
      rank: index + 1,
      file: { size: file.size, hasTestOfItsName },
    }))
}

/** Compares by code units, because `localeCompare` depends on the machine. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
