import { parseBranches, parseReached } from '../coverage/branch-text.ts'
import { moveRanges } from '../coverage/carry-over.ts'
import type { Share } from '../coverage/coverage.ts'
import { parseRanges, type Ranges, uniteRanges, withoutRanges } from '../coverage/ranges.ts'
import type { Hunk } from '../source/types.ts'

/** One file of one run as the database keeps it. See `CoveredFile`. */
export interface StoredLines {
  path: string
  covered: string
  uncovered: string
  partial: string | null
  complete: string | null
}

/** What reports say about the lines of one file. */
export interface ReportedLines {
  covered: Ranges
  uncovered: Ranges
  /** Covered and total branches of each line; null if the reports contain none. */
  branches: ReadonlyMap<number, Share> | null
}

/** @throws RangeError for texts that `storeCoverage` does not write */
export function parseStored({ covered, uncovered, partial, complete }: StoredLines): ReportedLines {
  if (partial === null) return { covered: parseRanges(covered), uncovered: parseRanges(uncovered), branches: null }
  const branches = new Map(parseBranches(partial).map(({ line, taken, total }) => [line, { covered: taken, total }]))
  for (const [line, total] of parseReached(complete ?? '')) branches.set(line, { covered: total, total })
  return { covered: parseRanges(covered), uncovered: parseRanges(uncovered), branches }
}

/** Merges two reports about the same version of a file: a line or branch is covered if one of them covers it. */
export function mergeLines(one: ReportedLines, other: ReportedLines): ReportedLines {
  const covered = uniteRanges(one.covered, other.covered)
  return {
    covered,
    uncovered: withoutRanges(uniteRanges(one.uncovered, other.uncovered), covered),
    branches: mergeBranches(one.branches, other.branches),
  }
}

/** Counts do not say which branches they are, so at least as many were taken as in the better report. */
function mergeBranches(one: ReportedLines['branches'], other: ReportedLines['branches']): ReportedLines['branches'] {
  if (one === null || other === null) return one ?? other
  const merged = new Map(one)
  for (const [line, share] of other) {
    const known = merged.get(line)
    const covered = Math.max(share.covered, known?.covered ?? 0)
    merged.set(line, { covered, total: Math.max(share.total, known?.total ?? 0) })
  }
  return merged
}

/** Moves what a report says to the line numbers of another version. Lines that differ are lost. */
export function moveLines({ covered, uncovered, branches }: ReportedLines, hunks: readonly Hunk[]): ReportedLines {
  return {
    covered: moveRanges(covered, hunks),
    uncovered: moveRanges(uncovered, hunks),
    branches:
      branches &&
      new Map(
        [...branches]
          .toSorted(([a], [b]) => a - b)
          .flatMap(([line, share]) => moveRanges([[line, line]], hunks).map(([moved]) => [moved, share])),
      ),
  }
}
