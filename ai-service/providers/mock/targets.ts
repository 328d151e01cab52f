import type { Candidate, Facts, SourceFile } from './facts.ts'
import { type Language, languageOf } from './languages.ts'
import { isSafePath, oneLine } from './safe-text.ts'
import { isOwnSource, isTestFile, stemOf } from './source-files.ts'

/** Something to write a test for. */
export interface Target {
  path: string
  language: Language
  /** Place in the ranking, from 1. */
  rank: number
  /** What the analysis ranked; undefined for a whole file, picked where there is no ranking. */
  candidate?: Candidate
  file?: { size: number; hasTestOfItsName: boolean }
}

export interface Targets {
  from: 'candidates' | 'files'
  /** At most as many as asked for, best first. */
  picked: Target[]
  /** How many there were to choose from. */
  total: number
}

/**
 * Follows the ranking of the analysis. An analysis without one gets its largest hand-written files, those without a
 * test of their name first.
 */
export function pickTargets(facts: Facts, limit: number): Targets {
  const ranked = fromCandidates(facts, limit)
  if (ranked.length > 0) return { from: 'candidates', picked: ranked, total: facts.candidateCount }

  const sources = facts.files.filter((file) => isOwnSource(file) && isSafePath(file.path))
  return { from: 'files', picked: fromFiles(facts, sources, limit), total: sources.length }
}

function fromCandidates(facts: Facts, limit: number): Target[] {
  const seen = new Set<string>()
  const picked: Target[] = []
  for (const [index, candidate] of facts.candidates.entries()) {
    if (picked.length === limit) break
    const key = JSON.stringify([candidate.path, candidate.symbol, candidate.startLine])
    if (seen.has(key) || !isSafePath(candidate.path) || !isNamed(candidate)) continue
    seen.add(key)
    picked.push({
      path: candidate.path,
      language: languageOf(candidate.path, candidate.language) ?? 'other',
      rank: index + 1,
      candidate,
    })
  }
  return picked
}

const isNamed = ({ symbol }: Candidate) => symbol.length <= 500 && oneLine(symbol, 500) !== ''

function fromFiles(facts: Facts, sources: SourceFile[], limit: number): Target[] {
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
    .slice(0, limit)
    .map(({ file, hasTestOfItsName }, index) => ({
      path: file.path,
      language: languageOf(file.path, file.language) ?? 'other',
      rank: index + 1,
      file: { size: file.size, hasTestOfItsName },
    }))
}

/** By code units: the same on every machine, whatever its locale. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
