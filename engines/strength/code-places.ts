import { readSource, type SourceFile } from '../parsing/source-file.ts'
import type { SymbolFact } from '../parsing/types.ts'
import { type CaseRisk, caseRisks } from '../parsing/description/types.ts'
import type { CaseOutcome } from '../analysis/schema.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'

export type CodeSymbol = Pick<SymbolFact, 'name' | 'kind' | 'startLine' | 'endLine'>

/** A case of a function, as the analysis lists it. */
export interface CodeCase {
  id: string
  symbol: string
  line: number
  condition: string
  outcome: CaseOutcome
  result?: string
  risk: CaseRisk
  /** The first lines of statements that run in this case only. */
  only: readonly number[]
}

/** The functions, methods and classes of a file, and with `withCases` the ways through them. */
export interface CodePlaces {
  symbols: readonly CodeSymbol[]
  cases: readonly CodeCase[]
}

export type PlacesInput = SourceFile & { withCases: boolean }
export type PlacesWork = TaskWork<PlacesInput, CodePlaces>

const task = taskAt<PlacesWork>(new URL('code-places-task.ts', import.meta.url))

/** Reads the symbols of a source file. One that the parser cannot read has none. */
export async function readPlaces(runner: TaskRunner, input: PlacesInput): Promise<CodePlaces> {
  return (await readSource(runner, task, input)) ?? { symbols: [], cases: [] }
}

/** The innermost symbol around a line. */
export function symbolAt({ symbols }: Pick<CodePlaces, 'symbols'>, line: number): CodeSymbol | null {
  const around = symbols.filter(({ startLine, endLine }) => startLine <= line && line <= endLine)
  return around.toSorted((a, b) => a.endLine - a.startLine - (b.endLine - b.startLine))[0] ?? null
}

/** The case that a line decides about, or that runs it: of several the most risky one. */
export function caseAt({ cases }: Pick<CodePlaces, 'cases'>, symbol: string, line: number): CodeCase | null {
  const found = cases.filter((one) => one.symbol === symbol && (one.line === line || one.only.includes(line)))
  return found.toSorted((a, b) => caseRisks.indexOf(a.risk) - caseRisks.indexOf(b.risk))[0] ?? null
}
