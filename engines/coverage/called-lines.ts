import type { CalledLines } from '../parsing/javascript/uncalled-code.ts'
import type { LineBranches } from './coverage.ts'
import { clipRanges, hasLine, type Ranges } from './ranges.ts'

interface Reported {
  covered: Ranges
  uncalled: Ranges
  partial?: readonly LineBranches[]
}

/** Answers what `uncalledCode` asks about the lines of a source. */
export function calledLines({ covered, uncalled, partial = [] }: Reported): CalledLines {
  const untaken = new Map(partial.map(({ line, taken, total }) => [line, taken === 0 ? total : 0]))
  return {
    isUncalled: (line) => hasLine(uncalled, line),
    hasRun: (first, last) => first <= last && clipRanges(covered, first, last).length > 0,
    untaken: (line) => untaken.get(line) ?? 0,
  }
}
