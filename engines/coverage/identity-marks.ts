import type { LineBranches } from './coverage.ts'
import { lineOfKey } from './identities.ts'

/** Which branches or functions a file has, by their keys (`identityKey`), and whether a test reached them. */
export type IdentityMarks = Map<number, boolean>

/** @returns whether the key is new */
export function markIdentity(marks: IdentityMarks, key: number, covered: boolean): boolean {
  const known = marks.get(key)
  if (known === undefined || (covered && !known)) marks.set(key, covered)
  return known === undefined
}

export function mergeIdentityMarks(into: IdentityMarks, from: IdentityMarks): void {
  for (const [key, covered] of from) markIdentity(into, key, covered)
}

export function countIdentityMarks(marks: IdentityMarks): { covered: number; total: number } {
  let covered = 0
  for (const isCovered of marks.values()) if (isCovered) covered++
  return { covered, total: marks.size }
}

/** Counts the keys of each line, ascending. */
export function countByLine(marks: IdentityMarks): LineBranches[] {
  const lines = new Map<number, LineBranches>()
  for (const [key, covered] of marks) {
    const line = lineOfKey(key)
    const counts = lines.get(line) ?? { line, taken: 0, total: 0 }
    lines.set(line, counts)
    counts.total++
    if (covered) counts.taken++
  }
  return [...lines.values()].toSorted((a, b) => a.line - b.line)
}

/** Counts the covered keys of each line, for lines with any, ascending. */
export function countCoveredByLine(marks: IdentityMarks): [line: number, count: number][] {
  const counts = new Map<number, number>()
  for (const [key, covered] of marks) {
    if (!covered) continue
    const line = lineOfKey(key)
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  return [...counts].toSorted(([a], [b]) => a - b)
}
