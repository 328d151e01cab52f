import type { Changes, Hunk } from '../source/types.ts'
import type { LineBranches } from './coverage.ts'
import type { Ranges } from './ranges.ts'

/** What reports say about the lines of one file. */
export interface MeasuredFile {
  covered: Ranges
  uncovered: Ranges
  /** Lines of which not every branch was taken; null if the reports have no branches. */
  partialBranches: readonly LineBranches[] | null
}

/** Coverage of an earlier commit under the line numbers of a later one. */
export interface CarriedFile extends MeasuredFile {
  /** Lines that changed since, of which nothing is known. */
  changed: Ranges
}

/** What became of the files that were measured. */
export interface CarriedCoverage {
  files: Map<string, CarriedFile>
  /** Those of the files with lines that changed since. */
  changedFiles: ReadonlySet<string>
  /** Files that were measured, and that the later commit does not have. */
  goneFiles: ReadonlySet<string>
}

/**
 * Moves coverage from the commit where it was measured to a later commit. Lines that did not change keep what is known
 * of them, under their new numbers, also in renamed files.
 *
 * @param paths - the files of the later commit; a report may name files that no commit has
 */
export function carryCoverage(
  measured: ReadonlyMap<string, MeasuredFile>,
  changes: Changes,
  paths?: ReadonlySet<string>,
): CarriedCoverage {
  const files = new Map<string, CarriedFile>()
  const changedFiles = new Set<string>()
  const goneFiles = new Set<string>()
  const renamed = new Set<string>()
  for (const [path, { before, hunks }] of changes.changed) {
    const file = measured.get(before)
    if (!file) continue
    renamed.add(before)
    if (hunks.length > 0) changedFiles.add(path)
    files.set(path, carryFile(file, hunks))
  }
  for (const [path, file] of measured) {
    if (renamed.has(path)) continue
    if (changes.gone.has(path) || paths?.has(path) === false) goneFiles.add(path)
    else if (!changes.changed.has(path)) files.set(path, { ...file, changed: [] })
  }
  return { files, changedFiles, goneFiles }
}

function carryFile({ covered, uncovered, partialBranches }: MeasuredFile, hunks: readonly Hunk[]): CarriedFile {
  return {
    covered: moveRanges(covered, hunks),
    uncovered: moveRanges(uncovered, hunks),
    partialBranches:
      partialBranches?.flatMap(({ line, ...counts }) =>
        moveRanges([[line, line]], hunks).map(([moved]) => ({ line: moved, ...counts })),
      ) ?? null,
    changed: hunks.flatMap(({ newStart, newLines }) =>
      newLines === 0 ? [] : [[newStart, newStart + newLines - 1] as const],
    ),
  }
}

/** Gives lines of the earlier version their numbers in the later one; lines within hunks are lost. Both are in order. */
export function moveRanges(ranges: Ranges, hunks: readonly Hunk[]): Ranges {
  const moved: [number, number][] = []
  let next = 0
  let shift = 0
  for (const [first, last] of ranges) {
    for (let from = first; from <= last;) {
      let hunk = hunks[next]
      while (hunk && endOf(hunk) <= from) {
        shift += hunk.newLines - hunk.oldLines
        hunk = hunks[++next]
      }
      const start = hunk ? startOf(hunk) : Infinity
      if (hunk && start <= from) {
        from = endOf(hunk)
        continue
      }
      const to = Math.min(last, start - 1)
      append(moved, from + shift, to + shift)
      from = to + 1
    }
  }
  return moved
}

/** The first line of the earlier version that the hunk replaces, or before which it inserts. */
const startOf = ({ oldStart, oldLines }: Hunk) => (oldLines === 0 ? oldStart + 1 : oldStart)
const endOf = (hunk: Hunk) => startOf(hunk) + hunk.oldLines

function append(ranges: [number, number][], first: number, last: number): void {
  const before = ranges.at(-1)
  if (before && before[1] + 1 === first) before[1] = last
  else ranges.push([first, last])
}
