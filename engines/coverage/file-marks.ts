import type { CoverageFormat, FileCoverage, LineBranches, Share } from './coverage.ts'
import {
  countByLine,
  countCoveredByLine,
  countIdentityMarks,
  type IdentityMarks,
  mergeIdentityMarks,
} from './identity-marks.ts'
import { countLines, createLineMarks, type LineMarks, mergeLineMarks, rangesOf } from './line-marks.ts'

/** Marks of one file. Formats identify branches and functions differently, so each has its own marks. */
export interface FileMarks {
  lines: LineMarks
  branches: Map<CoverageFormat, IdentityMarks>
  functions: Map<CoverageFormat, IdentityMarks>
  /** The lines on which functions begin, covered if one of these was called. */
  calls: LineMarks
}

export function createFileMarks(): FileMarks {
  return { lines: createLineMarks(), branches: new Map(), functions: new Map(), calls: createLineMarks() }
}

export function mergeFileMarks(into: FileMarks, from: FileMarks): void {
  mergeLineMarks(into.lines, from.lines)
  mergeIdentities(into.branches, from.branches)
  mergeIdentities(into.functions, from.functions)
  mergeLineMarks(into.calls, from.calls)
}

function mergeIdentities(into: FileMarks['branches'], from: FileMarks['branches']): void {
  for (const [format, marks] of from) {
    const known = into.get(format)
    if (known === undefined) into.set(format, marks)
    else mergeIdentityMarks(known, marks)
  }
}

/** Counts the branches and functions. */
export function countIdentities({ branches, functions }: FileMarks): number {
  let count = 0
  for (const marks of [...branches.values(), ...functions.values()]) count += marks.size
  return count
}

export function toFileCoverage(path: string, { lines, branches, functions, calls }: FileMarks): FileCoverage {
  return {
    path,
    coveredLines: rangesOf('covered', lines),
    uncoveredLines: rangesOf('uncovered', lines),
    lines: countLines(lines),
    branches: largestShare(branches),
    functions: largestShare(functions),
    ...branchesByLine(branches),
    uncalledLines: rangesOf('uncovered', calls),
  }
}

export function reachedBranches({ branches }: FileMarks): [line: number, count: number][] {
  const detailed = mostDetailed(branches)
  return detailed ? countCoveredByLine(detailed.marks) : []
}

function branchesByLine(branches: FileMarks['branches']): Pick<FileCoverage, 'partialBranches' | 'completeBranches'> {
  const detailed = mostDetailed(branches)
  if (!detailed) return { partialBranches: null, completeBranches: null }
  const lines = countByLine(detailed.marks)
  const isComplete = ({ taken, total }: LineBranches) => taken === total
  return {
    partialBranches: lines.filter((line) => !isComplete(line)),
    completeBranches: lines.filter(isComplete),
  }
}

function largestShare(byFormat: FileMarks['branches']): Share | null {
  return mostDetailed(byFormat)?.share ?? null
}

/** Marks of different formats cannot be merged: chooses the format with most of them, independent of the order. */
function mostDetailed(byFormat: FileMarks['branches']): { marks: IdentityMarks; share: Share } | null {
  let largest: { marks: IdentityMarks; share: Share } | null = null
  for (const marks of byFormat.values()) {
    const share = countIdentityMarks(marks)
    const known = largest?.share ?? { covered: -1, total: -1 }
    if (share.total > known.total || (share.total === known.total && share.covered > known.covered))
      largest = { marks, share }
  }
  return largest
}
