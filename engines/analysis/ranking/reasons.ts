import type { SymbolFact } from '../../parsing/types.ts'
import type { Reached, SymbolAt, SymbolReach } from './call-reach.ts'
import { countRanges, type Ranges } from '../../coverage/ranges.ts'
import type { KnownCoverage } from '../types.ts'
import type { Rung } from './estimate.ts'
import { ownName } from './implicit.ts'
import type { SymbolCoverage } from './measured.ts'
import type { SymbolStrength } from './strength.ts'

export interface Findings {
  symbol: SymbolFact
  rung: Rung
  reach: SymbolReach
  measured: SymbolCoverage | undefined
  /** What tests notice of small changes of the code that they run. */
  strength?: SymbolStrength | undefined
  /** Whether tests were measured to run other lines of the file. */
  fileRuns: boolean
  /** The coverage that `measured` is a part of. */
  known: Pick<KnownCoverage, 'commitSha' | 'behind'> | undefined
  /** Language and path of the symbol's own file. */
  language: string
  path: string
  /** Path of the file that tests come through; undefined when they import the symbol's file themselves or never do. */
  via: string | undefined
  /** Path of the test that comes closest. */
  test: string | undefined
  /** The public entry that leads to the symbol, with a test that calls it. */
  through:
    | (SymbolAt & Pick<Reached, 'relation' | 'from' | 'isNamed'> & { isReached: boolean; test: string | undefined })
    | undefined
  /** Path of the file of a symbol found on the way. */
  pathOf: (file: number) => string
  churn: { commits: number; changes: number; recent: number }
  fanIn: number
  /** The lines that changed since what the scope names. */
  changedSince?: { lines: Ranges; name: string } | undefined
}

/** Languages whose files use each other by imports only. Elsewhere they see each other within a package or namespace. */
const importing = new Set(['JavaScript', 'TypeScript', 'TSX', 'Vue', 'Svelte', 'Python'])

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
  if (findings.measured) reasons.push(...measuredReasons(findings.measured, findings.known))
  const unnoticed = strengthReason(findings)
  if (unnoticed) reasons.push(unnoticed)
  if (symbol.exported) reasons.push('exported')
  reasons.push(`complexity ${symbol.complexity}`, counted(symbol.statements, 'statement'))
  const change = changeReason(findings.churn)
  if (change) reasons.push(change)
  if (fanIn > 0) reasons.push(`${importing.has(findings.language) ? 'imported' : 'used'} by ${counted(fanIn, 'file')}`)
  const entry = entryReason(findings)
  if (entry) reasons.push(entry)
  if (!findings.measured && (!entry || !saysEnough(findings))) reasons.push(testReason(findings))
  return reasons
}

function changeReason({ commits, changes, recent }: Findings['churn']): string | undefined {
  if (commits === 0) return 'its change history is not known'
  if (recent > 0) return `changed ${times(recent)} in the last 90 days`
  if (changes > 0 && commits === 1) return 'changed in the last commit'
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

/** What tests run without looking at it. */
function strengthReason({ strength, measured }: Findings): string | undefined {
  if (!strength || strength.survived === 0) return undefined
  const { tried, survived, commitSha } = strength
  // Tests may have been added since.
  const unnoticed = `${number(survived)} of ${counted(tried, 'small change')} went unnoticed at ${commitSha.slice(0, 7)}`
  const isRun = measured && measured.uncovered.length === 0 && measured.changed.length === 0
  return isRun && measured.partialBranches.length === 0
    ? `tests run ${measured.lines === 1 ? 'its line' : `all of its ${number(measured.lines)} lines`}, but ${unnoticed}`
    : `${unnoticed}, where tests run it`
}

const maxNamed = 3

/** `line 4`, or `lines 4-6, 9, 12 and 2 more`. */
function named(ranges: Ranges): string {
  const texts = ranges.slice(0, maxNamed).map(([first, last]) => (first === last ? String(first) : `${first}-${last}`))
  const left = ranges.length - texts.length
  const isOne = countRanges(ranges) === 1
  return `${isOne ? 'line' : 'lines'} ${texts.join(', ')}${left > 0 ? ` and ${number(left)} more` : ''}`
}

/** The way to a private symbol. */
function entryReason(findings: Findings): string | undefined {
  const { through, measured } = findings
  if (!through) return undefined
  const reached = `can be reached through ${placeOf(through, findings)}`
  if (measured || !through.isReached) return reached
  if (through.test !== undefined) return `${reached}, which ${through.test} calls`
  // What is known of the entry is no more than for a candidate that tests reach in this way.
  const { relation, from, isNamed } = through
  if (relation === 'implicit' && from) {
    return `${reached}, which may run with ${placeOf(from, findings)}, which tests reach`
  }
  const isUncertain = relation === 'perhaps' || relation === 'computed' || (isNamed && !from)
  return `${reached}, which tests ${isUncertain ? 'may reach' : 'reach'}`
}

/** Whether the way through the public entry is the one that tests come. */
function saysEnough({ rung, through, reach }: Findings): boolean {
  return rung !== 'unreached' && through?.isReached === true && reach.kind !== 'never-called'
}

function testReason(findings: Findings): string {
  const { symbol, rung, reach, via, test } = findings
  // All that the analysis knows is what it found: code can be reached in ways that it does not see.
  if (rung === 'unreached' && findings.fileRuns) return 'no call of it was found; tests run other lines of its file'
  if (rung === 'unreached') return 'no test was found that imports it, directly or through other files'
  // A test that is only named after the file may come to it by other ways than imports.
  const loading = `${test ?? 'a test'} ${rung === 'named' ? 'is named after its file' : 'loads its file'}`
  switch (reach.kind) {
    case 'called-by-test':
      return `${test ?? 'a test'} calls it`
    case 'likely-called':
      return `${test ?? 'a test'} uses ${reach.type} and calls something named ${ownName(symbol.name)}`
    case 'called-through':
      if (!reach.via) return 'code that tests load uses it'
      return `no test was found that calls it; tests reach ${placeOf(reach.via, findings)}, which does`
    case 'perhaps-called':
      return 'tests reach a call with this name, but Assay cannot tell whether it means this symbol'
    case 'inside':
      return `no test was found that calls it; it is a part of ${placeOf(reach.around, findings)}, which tests reach`
    case 'computed':
      return `no call of it was found by its name; ${placeOf(reach.through, findings)}, which tests reach, calls members by computed names`
    case 'implicit':
      // Accessors, and functions that decorators hand on, run without a call that names them.
      return symbol.implicit === true
        ? `it can run without a call of its name, perhaps with ${placeOf(reach.through, findings)}, which tests reach`
        : `no call of it was found; it may run with ${placeOf(reach.through, findings)}, which tests reach`
    case 'never-called':
      if (via === undefined) return `no caller of it was found, though ${loading}`
      break
  }
  if (via !== undefined) return `no test was found that imports it; tests reach its file through ${via}`
  return `no test was found that calls it, though ${loading}`
}

function placeOf(at: SymbolAt, { path, pathOf }: Findings): string {
  const place = pathOf(at.file)
  const { name } = at.symbol
  const named = name === 'default' ? 'the default export' : name
  return place === path ? named : `${named} in ${place}`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${number(count)} times`
}

function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`
}

function number(value: number): string {
  // The formatter costs more than the rest of the reasons.
  return value < 1_000 ? String(value) : value.toLocaleString('en')
}
