import type { AiSource } from './schema.ts'

/** Line numbers start at 1, and both ends are inclusive. */
export interface LineRange {
  startLine: number
  endLine: number
}

/** The beginning of a file contains the imports and declarations that the rest refers to. */
const headLines = 40
/** The surrounding lines may belong to the symbol: comments, decorators, the line that closes its class. */
const linesBefore = 15
const linesAfter = 5

/**
 * Cuts a file for a model that writes a test for the given lines: the whole file if it fits, or else its beginning and
 * as many of the lines as fit.
 */
export function cutSource(path: string, text: string, ranges: readonly LineRange[], maxBytes: number): AiSource[] {
  if (Buffer.byteLength(text) <= maxBytes) return text === '' ? [] : [{ path, content: text }]
  const lines = text.split('\n')
  const wanted = [
    { startLine: 1, endLine: headLines },
    ...ranges.map(({ startLine, endLine }) => ({ startLine: startLine - linesBefore, endLine: endLine + linesAfter })),
  ]
  const cut: AiSource[] = []
  let nextLine = 1
  let left = maxBytes
  for (const range of joined(wanted)) {
    const startLine = Math.max(range.startLine, nextLine)
    const content = upTo(left, lines.slice(startLine - 1, range.endLine))
    if (content === '') continue
    cut.push({ path, content, startLine })
    left -= Buffer.byteLength(content)
    nextLine = range.endLine + 1
  }
  return cut
}

/** Sorts ranges and merges those that touch or overlap. */
function joined(ranges: readonly LineRange[]): LineRange[] {
  const result: LineRange[] = []
  for (const range of ranges.toSorted((a, b) => a.startLine - b.startLine)) {
    const last = result.at(-1)
    if (last && range.startLine <= last.endLine + 1) last.endLine = Math.max(last.endLine, range.endLine)
    else result.push({ ...range })
  }
  return result
}

function upTo(maxBytes: number, lines: readonly string[]): string {
  let bytes = 0
  const fitting = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > maxBytes)
  return (fitting < 0 ? lines : lines.slice(0, fitting)).join('\n')
}
