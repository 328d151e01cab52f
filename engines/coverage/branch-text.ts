import type { LineBranches } from './coverage.ts'

/** `12:1/2,14:0/3`, as the database keeps them; empty if every branch was taken. */
export const formatBranches = (branches: readonly LineBranches[]): string =>
  branches.map(({ line, taken, total }) => `${line}:${taken}/${total}`).join(',')

/** @throws RangeError for what `formatBranches` does not write */
export function parseBranches(text: string): LineBranches[] {
  if (text === '') return []
  return text.split(',').map((part) => {
    const [, line, taken, total] = /^(\d{1,10}):(\d{1,10})\/(\d{1,10})$/.exec(part) ?? []
    if (total === undefined) throw new RangeError(`"${part}" is no count of branches`)
    return { line: Number(line), taken: Number(taken), total: Number(total) }
  })
}

/** `12:1,14:2`: a number of branches for each line, such as how many were taken. */
export const formatReached = (counts: Iterable<readonly [line: number, taken: number]>): string =>
  Array.from(counts, ([line, taken]) => `${line}:${taken}`).join(',')

/** Reads what `formatReached` writes. */
export const parseReached = (text: string): Map<number, number> =>
  new Map((text === '' ? [] : text.split(',')).map((pair) => pair.split(':').map(Number) as [number, number]))

/** Merges the lines of which two measurements took every branch, as `formatReached` writes them. */
export function mergeCompleteBranches(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  const merged = parseReached(one)
  for (const [line, total] of parseReached(other)) merged.set(line, Math.max(total, merged.get(line) ?? 0))
  return formatReached([...merged].toSorted(([a], [b]) => a - b))
}

interface Side {
  partial: string | null
  hasLine: (line: number) => boolean
}

/**
 * Merges two measurements of one file. A line is complete if one of them took all its branches. If both took some, at
 * least as many were taken as in the better one.
 */
export function mergePartialBranches(one: Side, other: Side): string | null {
  if (one.partial === null || other.partial === null) return one.partial ?? other.partial
  const [some, others] = [parseBranches(one.partial), parseBranches(other.partial)]
  const byLine = new Map(others.map((branches) => [branches.line, branches]))
  const merged: LineBranches[] = []
  for (const branches of some) {
    const known = byLine.get(branches.line)
    byLine.delete(branches.line)
    if (known) merged.push(known.taken > branches.taken ? known : branches)
    else if (!other.hasLine(branches.line)) merged.push(branches)
  }
  for (const branches of byLine.values()) if (!one.hasLine(branches.line)) merged.push(branches)
  return formatBranches(merged.toSorted((a, b) => a.line - b.line))
}
