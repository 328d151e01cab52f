import type { SourceTree } from '../analysis/graph/source-tree.ts'
import type { Ranges } from '../coverage/ranges.ts'
import type { FileChange, Hunk } from '../source/types.ts'
import type { MeasuredReach } from './types.ts'

export interface JudgedReach {
  /** Whether the measurement shows who runs the file. */
  isWatched(path: string): boolean
  of(file: string): {
    commitSha: string
    /** The watched files that changed since and of which the test ran what changed. */
    reached: ReadonlySet<string>
    /** Whether the test ran nothing that changed since in the watched files. */
    missed: boolean
  }
}

/** The functions that a change is in, by their inner lines at the commit that was measured; null if it is not in one. */
type Touched = Ranges | null

const nothing = new Set<string>()

/** Compares what tests were seen to run with what changed since. */
export function readReach(
  { commitSha, changes, watched, tests }: MeasuredReach,
  { tree }: { tree: SourceTree },
): JudgedReach {
  const touched = new Map<string, Touched>()
  for (const [path, change] of changes.changed) {
    touched.set(change.before, touchedFunctions(tree, path, change, watched.get(change.before) ?? []))
  }
  for (const path of changes.gone) if (!touched.has(path)) touched.set(path, null)
  const byFile = new Map<string, { reached: Set<string>; isComplete: boolean }>()
  for (const test of tests) {
    const known = byFile.get(test.file) ?? { reached: new Set<string>(), isComplete: true }
    byFile.set(test.file, known)
    known.isComplete &&= test.isComplete
    for (const [path, called] of test.files) {
      const change = touched.get(path)
      if (change === undefined) continue
      if (change === null || called === null || meets(called, change)) known.reached.add(path)
    }
  }
  return {
    isWatched: (path) => watched.has(changes.changed.get(path)?.before ?? path),
    of(file) {
      const known = byFile.get(file)
      return {
        commitSha,
        reached: known?.reached ?? nothing,
        missed: known?.isComplete === true && known.reached.size === 0,
      }
    },
  }
}

/**
 * A change outside of functions matters to everybody who loads the file. Lines are within one function both before and
 * after: an insertion can end one function and begin another.
 */
function touchedFunctions(tree: SourceTree, path: string, { before, hunks }: FileChange, watched: Ranges): Touched {
  const id = tree.idOf(path)
  const symbols = (id === undefined ? undefined : tree.facts(id)?.symbols) ?? []
  if (before !== path || hunks.length === 0) return null
  const functions: (readonly [number, number])[] = []
  for (const hunk of hunks) {
    const [first, last] = linesOf(hunk.newStart, hunk.newLines)
    const isInside = symbols.some(
      ({ kind, startLine, endLine }) =>
        kind !== 'class' && startLine < first && (path.endsWith('.py') ? endLine >= last : endLine > last),
    )
    const { oldStart, oldLines } = hunk
    const around = watched.find(([from, to]) =>
      oldLines === 0 ? from - 1 <= oldStart && oldStart <= to : from <= oldStart && oldStart + oldLines - 1 <= to,
    )
    if (!isInside || !around) return null
    functions.push(around)
  }
  return functions
}

/** Returns the first and last line; where there is none, the lines before and after the place. */
const linesOf = (start: number, count: Hunk['newLines']): [number, number] =>
  count === 0 ? [start, start + 1] : [start, start + count - 1]

const meets = (one: Ranges, other: Ranges) =>
  one.some(([first, last]) => other.some(([from, to]) => first <= to && last >= from))
