import type { SymbolFact } from '../types.ts'
import type { Rung } from './estimate.ts'
import type { SymbolReach } from './reach.ts'

export interface Findings {
  symbol: SymbolFact
  rung: Rung
  reach: SymbolReach
  coverage: number
  measured: boolean
  /** Path of the file that tests come through; undefined when they import the file themselves or never get there. */
  via: string | undefined
  /** Path of the test that is named after the file or imports it. */
  test: string | undefined
  churn: { commits: number; changes: number; recent: number }
  fanIn: number
}

/** Why a symbol is a candidate, in sentences for the owner of the repository. */
export function reasonsFor(findings: Findings): string[] {
  const { symbol, fanIn } = findings
  const reasons: string[] = []
  if (symbol.exported) reasons.push('exported')
  reasons.push(`complexity ${symbol.complexity}`)
  const change = changeReason(findings.churn)
  if (change) reasons.push(change)
  if (fanIn > 0) reasons.push(`imported by ${counted(fanIn, 'file')}`)
  reasons.push(testReason(findings))
  return reasons
}

function changeReason({ commits, changes, recent }: Findings['churn']): string | undefined {
  if (commits === 0) return 'how often it changes is not known'
  if (recent > 0) return `changed ${times(recent)} in the last 90 days`
  if (changes > 0) return `changed in ${number(changes)} of the last ${counted(commits, 'commit')}`
  return undefined
}

function testReason({ measured, coverage, rung, reach, via, test }: Findings): string {
  if (measured) return `${Math.round(coverage * 100)} % of its lines are covered by the last report`
  if (reach.closeness === 'called-by-test') return `${test ?? 'a test'} calls it`
  switch (rung) {
    case 'unreached':
      return 'no test imports it, not even through other files'
    case 'near':
    case 'far':
      return via === undefined ? 'no test imports it' : `no test imports it: reached only through ${via}`
    default:
      if (reach.closeness === 'runs-with-class') return `${test ?? 'a test'} comes to its class`
      if (reach.closeness === 'never-called') return `${test ?? 'a test'} loads its file, but nothing that tests reach calls it`
      return `no test calls it itself, though ${test ?? 'one'} loads its file`
  }
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
