import type { Mutant } from '../mutation/mutant.ts'

/** Where a mutant is in its line, and the code around it. */
export interface AroundChange {
  /** Where `original` begins in its line, in UTF-16 code units from 1. */
  column: number
  /** The line before and after the change, if `original` is too short to say which code it is. */
  context: { original: string; replacement: string } | null
}

const maxShortLength = 12
/** On each side of the change. */
const maxSideLength = 40

/** Returns what readers need to find a mutant in its source, and to tell it from others of the same line. */
export function aroundChange(
  source: string,
  { start, end, original, replacement }: Pick<Mutant, 'start' | 'end' | 'original' | 'replacement'>,
): AroundChange {
  const lineStart = source.lastIndexOf('\n', start - 1) + 1
  const column = start - lineStart + 1
  if (original.length > maxShortLength || /\s/.test(original)) return { column, context: null }
  const nextLine = source.indexOf('\n', end)
  const before = source.slice(lineStart, start).trimStart().replace(/\s+/g, ' ')
  const after = source
    .slice(end, nextLine < 0 ? source.length : nextLine)
    .replace(/\s+/g, ' ')
    .trimEnd()
  if (before === '' && after === '') return { column, context: null }
  const left = before.length > maxSideLength ? `…${before.slice(-maxSideLength)}` : before
  const right = after.length > maxSideLength ? `${after.slice(0, maxSideLength)}…` : after
  return { column, context: { original: left + original + right, replacement: left + replacement + right } }
}
