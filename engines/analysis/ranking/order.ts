import type { SymbolFact } from '../../parsing/types.ts'
import { clipRanges, type Ranges, uniteRanges } from '../../coverage/ranges.ts'
import type { Reached, SymbolReach } from './call-reach.ts'
import type { FileReach } from './file-reach.ts'
import type { SymbolCoverage } from './measured.ts'
import { repetitionFactor } from './score.ts'
import type { SymbolStrength } from './strength.ts'

/** The facts that all symbols of a file share. */
export interface RatedFile {
  id: number
  path: string
  language: string
  reach: FileReach
  /** Beside the product: examples, scripts and the like. */
  isBeside: boolean
  churn: number | null
  recentChanges: number
  fanIn: number
}

/** One symbol with everything that its place in the ranking depends on. */
export interface Rated {
  file: RatedFile
  symbol: SymbolFact
  /** Position among the symbols of its file. */
  index: number
  reach: SymbolReach
  /** Share that tests reach: measured, else estimated. */
  coverage: number
  measured: SymbolCoverage | undefined
  /** What tests notice of the code that they run; undefined if nobody measured it. */
  strength: SymbolStrength | undefined
  score: number
  /** Its name; for a scope with names also those of the functions that are written in it. */
  names: readonly string[]
  /** Its lines that the scope counts as changed; undefined if the scope is not about changes. */
  changedSince: Ranges | undefined
}

export interface Placed extends Rated {
  /** The public entry that leads to a private symbol. */
  through: Reached | undefined
}

const tiersOfPlace = 3
const tiers = 1 + 2 * tiersOfPlace

/**
 * The group of a candidate, which comes before its score. Changed lines that no test may run come first, and what is
 * beside the product comes last. Lines that no test runs come before lines of which nothing is known any more, and those
 * before branches.
 */
function tierOf(entry: Rated): number {
  const { file, measured } = entry
  if (missesChangedLines(entry)) return 0
  const first = 1 + (file.isBeside ? tiersOfPlace : 0)
  if (!measured || measured.uncovered.length > 0) return first
  return first + (measured.changed.length > 0 ? 1 : 2)
}

/** Whether tests do not run all of the lines that the scope counts as changed, or that is not known. */
function missesChangedLines({ measured, changedSince }: Rated): boolean {
  if (!changedSince) return false
  if (!measured) return true
  const mayNotRun = uniteRanges(measured.uncovered, measured.changed)
  return changedSince.some(([first, last]) => clipRanges(mayNotRun, first, last).length > 0)
}

/**
 * Returns the first `count` in order. `entryOf` finds the public entry of a private symbol: symbols behind the same entry
 * are tested together, so that each further one counts less.
 */
export function firstInOrder(
  rated: readonly Rated[],
  count: number,
  entryOf: (entry: Rated) => Reached | undefined,
): Placed[] {
  const groups: Rated[][] = Array.from({ length: tiers }, () => [])
  for (const entry of rated) groups[tierOf(entry)]?.push(entry)
  const first: Placed[] = []
  for (const group of groups) {
    if (first.length >= count) break
    const placed = best(group, count - first.length).map((entry) => ({ ...entry, through: entryOf(entry) }))
    // Files with the same content may share their facts.
    const entries = new Map<string, number>()
    for (const entry of placed) {
      const file = entry.through?.file ?? entry.file.id
      const { name, startLine } = (entry.through ?? entry).symbol
      const key = `${file} ${startLine} ${name}`
      const position = entries.get(key) ?? 0
      entries.set(key, position + 1)
      entry.score *= repetitionFactor(position)
    }
    first.push(...placed.toSorted(inOrder))
  }
  return first
}

/** The first `count` in order. Sorting plain numbers first spares most of the comparisons in large repositories. */
function best(rated: readonly Rated[], count: number): Rated[] {
  const scores = Float64Array.from(rated, (entry) => entry.score).toSorted()
  const threshold = scores[Math.max(0, scores.length - count)] ?? 0
  return rated
    .filter((entry) => entry.score >= threshold)
    .toSorted(inOrder)
    .slice(0, count)
}

const inOrder = (a: Rated, b: Rated) => byScore(a, b) || compare(a.file.path, b.file.path)

export function byScore(a: Rated, b: Rated): number {
  return b.score - a.score || a.symbol.startLine - b.symbol.startLine || compare(a.symbol.name, b.symbol.name)
}

/** By code units: the order must not depend on the machine's locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
