import type { CarriedFile } from '../../coverage/carry-over.ts'
import type { LineBranches } from '../../coverage/coverage.ts'
import { clipRanges, countRanges, hasLine, type Ranges, withoutRanges } from '../../coverage/ranges.ts'
import type { SymbolFact } from '../../parsing/types.ts'

type LineRange = Pick<SymbolFact, 'startLine' | 'endLine'>

/** What was measured of one symbol. */
export interface SymbolCoverage {
  /** Share of its known lines that ran. */
  share: number
  lines: number
  uncovered: Ranges
  /** Of the lines that ran. */
  partialBranches: readonly LineBranches[]
  /** Lines that changed since the measurement. */
  changed: Ranges
  /** Share that a test could still reach; 0 if there is nothing. */
  gap: number
}

/** The weight of missing branches, compared with lines that do not run. */
const branchWeight = 0.2

/**
 * Returns what was measured of a symbol, or undefined if nothing was.
 *
 * @param inside - the lines of other candidates inside the symbol, which are measured on their own
 * @param estimate - the expected share of the lines that changed since the measurement
 */
export function measureSymbol(
  file: CarriedFile | undefined,
  { startLine, endLine }: LineRange,
  inside: Ranges,
  estimate: number,
): SymbolCoverage | undefined {
  if (!file || endLine < startLine) return undefined
  const within = (first: number) => {
    const own = (ranges: Ranges) => withoutRanges(clipRanges(ranges, first, endLine), inside)
    return { covered: own(file.covered), uncovered: own(file.uncovered) }
  }
  const count = (lines: { covered: Ranges; uncovered: Ranges }) =>
    countRanges(lines.covered) + countRanges(lines.uncovered)
  // The line of the declaration runs when the module is loaded, which says nothing about the body.
  const body = within(Math.min(startLine + 1, endLine))
  const known = count(body) > 0 ? body : within(startLine)
  const lines = count(known)
  if (lines === 0) return undefined
  const missing = countRanges(known.uncovered)
  const changed = withoutRanges(clipRanges(file.changed, startLine, endLine), inside)
  const unknown = countRanges(changed)
  const partialBranches = (file.partialBranches ?? []).filter(
    ({ line }) => startLine <= line && line <= endLine && !hasLine(inside, line) && hasLine(known.covered, line),
  )
  const missingBranches = partialBranches.reduce((sum, { taken, total }) => sum + total - taken, 0)
  return {
    share: (lines - missing) / lines,
    lines,
    uncovered: known.uncovered,
    partialBranches,
    changed,
    gap: (missing + unknown * (1 - estimate) + branchWeight * missingBranches) / (lines + unknown + missingBranches),
  }
}
