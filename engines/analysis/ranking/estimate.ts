import type { SymbolFact } from '../../parsing/types.ts'
import type { SymbolReach } from './call-reach.ts'
import type { FileReach } from './file-reach.ts'

/*
 * The figures are the measured shares of 2,000 symbols in eleven repositories of three languages; `bench/ranking.ts` checks
 * them on others. How many calls lie between the tests and a symbol tells nothing, and how many imports hardly anything.
 * From how many places a symbol is used tells most of what can be known.
 */

/** The share that tests leave out of a symbol that is used from one place. */
const leftOut = {
  'called-by-test': 0.15,
  'likely-called': 0.15,
  'called-through': 0.19,
  'perhaps-called': 0.26,
  implicit: 0.26,
  computed: 0.15,
  inside: 0.22,
} as const
/** How fast it shrinks with the places, and with the lines: short functions run whole or not at all. */
const perUse = 0.4
const perLine = 0.1
const usualLines = 10
/** Tests use functions that only print or reset a state less often than other code. */
const rarelyTested =
  /(?:^|\.)(?:__repr__|__str__|__del\w+|__ne__|__hash__|String|GoString|Format|fmt|ToString|GetHashCode|toString|hashCode|inspect|(?:clear|debug|dump|reset)\w*)$/i
const rarely = 2
/** Where no call is seen at all, hardly anything runs; a test that is named after the file may still come to it. */
const neverCalled = 0.13
const calledElsewhere = 0.2
/** Files that no test leads to are run by accident at most. */
const unreached = 0.02
/** The factor on the estimate, by how directly tests reach the file. */
const kept = { 'named-and-imported': 1, named: 1, imported: 0.99, near: 0.97, far: 0.95 } as const

/** How tests come to a file, closest first. */
export type Rung = keyof typeof kept | 'unreached'

export function rungOf(reach: FileReach): Rung {
  const named = reach.namedTests.length > 0
  const imported = reach.importingTests.length > 0 || reach.distance <= 1
  if (named && imported) return 'named-and-imported'
  if (named) return 'named'
  if (imported) return 'imported'
  if (reach.distance === Infinity) return 'unreached'
  return reach.distance <= 2 ? 'near' : 'far'
}

/** Share of a symbol's lines that tests are likely to run, before any report says so. */
export function estimatedCoverage(rung: Rung, reach: SymbolReach, symbol: SymbolFact): number {
  if (rung === 'unreached') return unreached
  if (reach.kind === 'never-called') return neverCalled * kept[rung]
  if (reach.kind === 'called-elsewhere') return calledElsewhere * kept[rung]
  const lines = (symbol.endLine - symbol.startLine + 1) / usualLines
  const shrunk = leftOut[reach.kind] / Math.max(1, reach.uses) ** perUse / lines ** perLine
  return (1 - shrunk * (rarelyTested.test(symbol.name) ? rarely : 1)) * kept[rung]
}
