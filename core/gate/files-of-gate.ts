import { countRanges } from '../../engines/coverage/ranges.ts'
import type { FileOfPatch, PatchCoverage } from '../../engines/gate/patch-coverage.ts'
import { caseRisks } from '../../engines/parsing/description/types.ts'
import type { TaskRunner } from '../../engines/processes/tasks.ts'
import { type CodePlaces, readPlaces, symbolAt } from '../../engines/strength/code-places.ts'
import { textOfCase } from '../../engines/strength/case-words.ts'
import type { FileOfGate } from './schema.ts'

const maxRanges = 100
/** Symbols and cases are found for the files with most uncovered lines. */
export const maxExplained = 20
const maxCases = 5

/** Lists the files with something to say: those with most uncovered lines first, then those that no report names. */
export function filesOfGate({ files }: PatchCoverage): FileOfGate[] {
  return files
    .filter(
      ({ state, uncovered, partial }) =>
        state === 'unmeasured' || state === 'unknown' || uncovered.length + partial.length > 0,
    )
    .map(fileOfGate)
    .toSorted((a, b) => b.uncoveredCount - a.uncoveredCount || b.partial.length - a.partial.length)
}

const fileOfGate = ({ path, state, covered, uncovered, partial }: FileOfPatch): FileOfGate => ({
  path,
  state: state === 'no_lines' ? 'measured' : state,
  covered: countRanges(covered),
  uncoveredCount: countRanges(uncovered),
  uncovered: uncovered.slice(0, maxRanges).map(([first, last]) => [first, last]),
  partial: partial.slice(0, maxRanges),
  symbol: null,
  cases: [],
  nearestTest: null,
})

/** Adds the symbol of the first uncovered line, and the cases of uncovered lines with the most risky one first. */
export async function explainFile(runner: TaskRunner, file: FileOfGate, source: string): Promise<FileOfGate> {
  const places = await readPlaces(runner, { path: file.path, source, withCases: true })
  const first = file.uncovered[0]?.[0] ?? file.partial[0]?.line
  return {
    ...file,
    symbol: first === undefined ? null : (symbolAt(places, first)?.name ?? null),
    cases: casesOf(places, file),
  }
}

function casesOf({ cases }: CodePlaces, { uncovered, partial }: FileOfGate): FileOfGate['cases'] {
  const isMissed = (line: number) => uncovered.some(([first, last]) => first <= line && line <= last)
  return cases
    .filter(({ line, only }) => only.some(isMissed) || (only.length === 0 && partial.some((one) => one.line === line)))
    .toSorted((a, b) => caseRisks.indexOf(a.risk) - caseRisks.indexOf(b.risk) || a.line - b.line)
    .slice(0, maxCases)
    .map((one) => ({ line: one.line, text: textOfCase(one) }))
}
