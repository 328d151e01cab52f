import type { SymbolFact } from '../../parsing/types.ts'
import type { SymbolReach } from './call-reach.ts'
import { countRanges, type Ranges } from '../../coverage/ranges.ts'
import type { KnownCoverage } from '../types.ts'
import type { Rung } from './estimate.ts'
import type { SymbolCoverage } from './measured.ts'

export interface Findings {
  symbol: SymbolFact
  rung: Rung
  reach: SymbolReach
  measured: SymbolCoverage | undefined
  /** The coverage that `measured` is a part of. */
  known: Pick<KnownCoverage, 'commitSha' | 'behind'> | undefined
  /** Path of the symbol's own file. */
  path: string
  /** Path of the file that tests come through; undefined when they import the symbol's file themselves or never do. */
  via: string | undefined
  /** Path of the test that comes closest. */
  test: string | undefined
  /** Path of the file of a symbol found on the way. */
  pathOf: (file: number) => string
  churn: { commits: number; changes: number; recent: number }
  fanIn: number
  /** The lines that changed since what the scope names. */
  changedSince?: { lines: Ranges; name: string } | undefined
}

/** Why a symbol is a candidate, in sentences for the owner of the repository. */
export function reasonsFor(findings: Findings): string[] {
  const { symbol, fanIn } = findings
  const reasons: string[] = []
  const { changedSince } = findings
  if (changedSince && changedSince.lines.length > 0) {
    const count = countRanges(changedSince.lines)
    const isWhole = count === symbol.endLine - symbol.startLine + 1
    reasons.push(`${isWhole ? 'all of it' : named(changedSince.lines)} changed since ${changedSince.name}`)
  }
  if (symbol.exported) reasons.push('exported')
  reasons.push(`complexity ${symbol.complexity}`, counted(symbol.statements, 'statement'))
  const change = changeReason(findings.churn)
  if (change) reasons.push(change)
  if (fanIn > 0) reasons.push(`imported by ${counted(fanIn, 'file')}`)
  reasons.push(...(findings.measured ? measuredReasons(findings.measured, findings.known) : [testReason(findings)]))
  return reasons
}

function changeReason({ commits, changes, recent }: Findings['churn']): string | undefined {
  if (commits === 0) return 'its change history is not known'
  if (recent > 0) return `changed ${times(recent)} in the last 90 days`
  if (changes > 0) return `changed in ${number(changes)} of the last ${counted(commits, 'commit')}`
  return undefined
}

function measuredReasons(measured: SymbolCoverage, known: Findings['known']): string[] {
  const { lines, uncovered, partialBranches, changed } = measured
  const reasons: string[] = []
  const missing = countRanges(uncovered)
  if (missing === lines) reasons.push(`tests run none of its ${counted(lines, 'line')}`)
  else if (missing > 0) {
    reasons.push(`tests run ${number(lines - missing)} of its ${number(lines)} lines, not ${named(uncovered)}`)
  } else if (partialBranches.length > 0) {
    const partial = partialBranches.map(({ line }) => [line, line] as const)
    reasons.push(`tests run all of its lines, but not every branch of ${named(partial)}`)
  }
  if (changed.length > 0) reasons.push(`${named(changed)} changed since the coverage was measured`)
  if (known && known.behind > 0) {
    reasons.push(`coverage measured ${counted(known.behind, 'commit')} earlier, at ${known.commitSha.slice(0, 7)}`)
  }
  return reasons
}

const maxNamed = 3

/** `line 4`, or `lines 4-6, 9, 12 and 2 more`. */
function named(ranges: Ranges): string {
  const texts = ranges.slice(0, maxNamed).map(([first, last]) => (first === last ? String(first) : `${first}-${last}`))
  const left = ranges.length - texts.length
  const isOne = countRanges(ranges) === 1
  return `${isOne ? 'line' : 'lines'} ${texts.join(', ')}${left > 0 ? ` and ${number(left)} more` : ''}`
}

function testReason(findings: Findings): string {
  const { rung, reach, via, test } = findings
  // All that the analysis knows is what it found: code can be reached in ways that it does not see.
  if (rung === 'unreached') return 'no test was found that imports it, directly or through other files'
  switch (reach.kind) {
    case 'called-by-test':
      return `${test ?? 'a test'} calls it`
    case 'called-through':
      if (!reach.via) break
      return `no test was found that calls it; tests reach ${placeOf(reach.via, findings)}, which does`
    case 'inside':
      return `no test was found that calls it; it is a part of ${placeOf(reach.around, findings)}, which tests reach`
    case 'implicit':
      return `no call of it was found; it may run with ${placeOf(reach.through, findings)}, which tests reach`
    case 'never-called':
      if (via === undefined) return `no caller of it was found, though ${test ?? 'a test'} loads its file`
      break
  }
  if (via !== undefined) return `no test was found that imports it; tests reach its file through ${via}`
  return `no test was found that calls it, though ${test ?? 'a test'} loads its file`
}

function placeOf(at: { file: number; symbol: SymbolFact }, { path, pathOf }: Findings): string {
  const place = pathOf(at.file)
  return place === path ? at.symbol.name : `${at.symbol.name} in ${place}`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${number(count)} times`
}

function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`
}

function number(value: number): string {
  return value.toLocaleString('en')
}
