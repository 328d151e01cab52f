import type { SourceTree } from '../analysis/graph/source-tree.ts'
import type { Ranges } from '../coverage/ranges.ts'
import type { Changes, FileChange } from '../source/types.ts'
import type { MeasuredReach } from './types.ts'

export interface JudgedReach {
  /** Whether the measurement shows who runs the file. Support files of tests are often left out. */
  isMeasured(path: string): boolean
  of(file: string): {
    commitSha: string
    /** A changed file of which the test ran changed code. */
    reached?: string | undefined
    /** Whether the measurement shows that the test ran none of the changed code. */
    missed: boolean
  }
}

/** The lines of the earlier state to which a change belongs; null if that is all of the file. */
type Touched = Ranges | null

/** Compares what tests were seen to run with the change. */
export function readReach(
  { commitSha, tests }: MeasuredReach,
  { tree, changes }: { tree: SourceTree; changes: Changes },
): JudgedReach {
  const touched = new Map<string, Touched>()
  for (const [path, change] of changes.changed) touched.set(change.before, touchedLines(tree, path, change))
  for (const path of changes.gone) if (!touched.has(path)) touched.set(path, null)
  // Whoever loads a file that is new was not seen to do so.
  const isMeasurable = changes.added.size === 0
  const measured = new Set(tests.flatMap(({ files }) => [...files.keys()]))
  const byFile = new Map<string, { reached?: string; missed: boolean }>()
  for (const test of tests) {
    const known = byFile.get(test.file) ?? { missed: true }
    byFile.set(test.file, known)
    if (test.isComplete !== true || !isMeasurable) known.missed = false
    for (const [path, lines] of test.files) {
      const change = touched.get(path)
      if (change === undefined) continue
      const isReached = change === null || lines === null || meets(lines, change)
      if (!isReached) continue
      known.missed = false
      known.reached ??= path
    }
  }
  return {
    isMeasured: (path) => measured.has(changes.changed.get(path)?.before ?? path),
    of: (file) => ({ commitSha, missed: false, ...byFile.get(file) }),
  }
}

/**
 * Returns the bodies of the functions that the change is in, as lines of the earlier state. A change outside of functions
 * runs whenever the file is loaded.
 */
function touchedLines(tree: SourceTree, path: string, { before, hunks }: FileChange): Touched {
  const id = tree.idOf(path)
  const symbols = (id === undefined ? undefined : tree.facts(id)?.symbols) ?? []
  if (before !== path || hunks.length === 0) return null
  const lines: [number, number][] = []
  for (const { newStart, newLines, oldStart, oldLines } of hunks) {
    const first = newStart
    const last = newLines === 0 ? newStart + 1 : newStart + newLines - 1
    // Innermost first. The first line of a function may hold its defaults, which belong to it as well.
    const around = symbols
      .filter(({ kind, startLine, endLine }) => kind !== 'class' && startLine < first && endLine > last)
      .toSorted((a, b) => b.startLine - a.startLine)[0]
    if (!around) return null
    const offset = oldStart - newStart + (oldLines === 0 ? 1 : 0) - (newLines === 0 ? 1 : 0)
    const growth = newLines - oldLines
    lines.push([around.startLine + offset + 1, Math.max(oldStart + oldLines, around.endLine + offset - growth)])
  }
  return lines
}

const meets = (one: Ranges, other: Ranges) =>
  one.some(([first, last]) => other.some(([from, to]) => first <= to && last >= from))
