import type { Ranges } from '../coverage/ranges.ts'

/**
 * Adds to the covered lines the lines that continue their statements, because many tools report only the first line of a
 * statement. An empty line ends a statement.
 */
export function reachedLines(source: string, covered: Ranges, uncovered: Ranges): Ranges {
  const lines = source.split('\n')
  const marked = [...covered, ...uncovered].map(([first]) => first).toSorted((a, b) => a - b)
  let next = 0
  return covered.map(([first, last]) => {
    while ((marked[next] ?? Infinity) <= last) next += 1
    const before = Math.min(marked[next] ?? Infinity, lines.length + 1)
    let end = last
    while (end + 1 < before && lines[end]?.trim()) end += 1
    return [first, Math.max(end, last)] as const
  })
}
