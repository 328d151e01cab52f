import { mergePartialBranches, parseBranches } from './branch-text.ts'
import type { MeasuredFile } from './carry-over.ts'
import { hasLine, parseRanges, uniteRanges, withoutRanges } from './ranges.ts'

/** One file of one run as the database keeps it: path, covered and uncovered lines, lines with missing branches. */
export type MeasuredRow = readonly [path: string, covered: string, uncovered: string, partialBranches: string | null]

/** The row that stands for a whole run among the rows of a commit: files without a row were not loaded by its tests. */
export const rowOfWholeRun: MeasuredRow = ['', '', '', null]

/** Whether a run of all tests is among those that measured a commit. */
export const hasWholeRun = (rows: readonly MeasuredRow[]): boolean => rows.some(([path]) => path === rowOfWholeRun[0])

/** Merges what several runs measured of one commit. A line is covered if one of them covers it. */
export function mergeMeasured(rows: readonly MeasuredRow[]): Map<string, MeasuredFile> {
  const files = new Map<string, Parsed>()
  for (const [path, coveredText, uncoveredText, partial] of rows) {
    const one = { covered: parseRanges(coveredText), uncovered: parseRanges(uncoveredText), partial }
    const known = files.get(path)
    files.set(path, known ? merge(known, one) : one)
  }
  return new Map(
    [...files].map(([path, { covered, uncovered, partial }]) => [
      path,
      { covered, uncovered, partialBranches: partial === null ? null : parseBranches(partial) },
    ]),
  )
}

type Parsed = Omit<MeasuredFile, 'partialBranches'> & { partial: string | null }

function merge(one: Parsed, other: Parsed): Parsed {
  const covered = uniteRanges(one.covered, other.covered)
  const side = ({ covered, uncovered, partial }: Parsed) => ({
    partial,
    hasLine: (line: number) => hasLine(covered, line) || hasLine(uncovered, line),
  })
  return {
    covered,
    uncovered: withoutRanges(uniteRanges(one.uncovered, other.uncovered), covered),
    partial: mergePartialBranches(side(one), side(other)),
  }
}
