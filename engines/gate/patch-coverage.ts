import type { Share } from '../coverage/coverage.ts'
import { countRanges, hasLine, intersectRanges, type Ranges, withoutRanges } from '../coverage/ranges.ts'
import { type PatchFile, rangesOf } from './patch.ts'
import type { ReportedLines } from './report-lines.ts'

/** What reports say about the changed lines of a file. */
export interface FileOfPatch {
  path: string
  /**
   * `measured`: reports name some of the changed lines. `no_lines`: reports name the file, but none of the changed lines,
   * as with comments. `unmeasured`: code that no report names. `unknown`: some changed lines differ from those that were
   * measured, so that nothing is known of them.
   */
  state: 'measured' | 'no_lines' | 'unmeasured' | 'unknown'
  covered: Ranges
  uncovered: Ranges
  /** Covered lines of which not every branch was taken. */
  partial: readonly { line: number; covered: number; total: number }[]
  /** Of the changed lines; null if the reports contain no branches. */
  branches: Share | null
}

export interface PatchCoverage {
  /** Lines that were added or modified and that reports name. */
  lines: Share
  branches: Share | null
  files: FileOfPatch[]
}

/** What the reports of the head say, by path of the head. */
export interface HeadReports {
  files: ReadonlyMap<string, ReportedLines>
  /** Lines of a file of which nothing is known, because another version of them was measured. */
  unknown: ReadonlyMap<string, Ranges>
}

/**
 * Intersects the lines of a change with what reports say about them. Deleted lines fall out, and so do those that no
 * report names, such as comments. Tests and generated files count if reports name them.
 */
export function patchCoverage(files: readonly PatchFile[], { files: reported, unknown }: HeadReports): PatchCoverage {
  const judged = files.flatMap((file) => {
    if (file.change === 'deleted') return []
    const lines = rangesOf(file.lines)
    const report = reported.get(file.path)
    const lost = intersectRanges(unknown.get(file.path) ?? [], lines)
    if (!report && lost.length === 0) return lines.length > 0 && file.kind === 'code' ? unmeasured(file.path) : []
    return fileOfPatch(file.path, lines, report, lost)
  })
  const sum = (shares: readonly Share[]) =>
    shares.reduce((all, one) => ({ covered: all.covered + one.covered, total: all.total + one.total }), none)
  const branches = judged.flatMap(({ branches }) => branches ?? [])
  return {
    lines: sum(judged.map(({ covered, uncovered }) => shareOf(covered, uncovered))),
    branches: branches.length === 0 ? null : sum(branches),
    files: judged,
  }
}

const none: Share = { covered: 0, total: 0 }

export function shareOf(covered: Ranges, uncovered: Ranges): Share {
  const count = countRanges(covered)
  return { covered: count, total: count + countRanges(uncovered) }
}

const unmeasured = (path: string): FileOfPatch => ({
  path,
  state: 'unmeasured',
  covered: [],
  uncovered: [],
  partial: [],
  branches: null,
})

function fileOfPatch(path: string, lines: Ranges, report: ReportedLines | undefined, lost: Ranges): FileOfPatch {
  const covered = intersectRanges(report?.covered ?? [], lines)
  const uncovered = withoutRanges(intersectRanges(report?.uncovered ?? [], lines), covered)
  const branches = report?.branches ? [...report.branches].filter(([line]) => hasLine(lines, line)) : null
  const isMeasured = covered.length + uncovered.length > 0
  return {
    path,
    state: lost.length > 0 ? 'unknown' : isMeasured ? 'measured' : 'no_lines',
    covered,
    uncovered,
    partial: (branches ?? [])
      .filter(([line, share]) => share.covered < share.total && hasLine(covered, line))
      .map(([line, share]) => ({ line, ...share }))
      .toSorted((a, b) => a.line - b.line),
    branches:
      branches &&
      branches.reduce(
        (all, [, share]) => ({ covered: all.covered + share.covered, total: all.total + share.total }),
        none,
      ),
  }
}

/** The covered share in percent, not rounded; null if there is nothing to cover. */
export const percentOf = ({ covered, total }: Share): number | null => (total === 0 ? null : (100 * covered) / total)

/** A percentage as it is shown: one decimal, rounded down, so that 99.96 is not 100. */
export const shownPercent = (percent: number): number => Math.floor(percent * 10 + 1e-9) / 10
