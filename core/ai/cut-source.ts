import type { AiSource } from './schema.ts'

/** Lines from 1, both ends included. */
export interface LineRange {
  startLine: number
  endLine: number
}

/** Imports and what a file declares first: without them nobody can tell what the rest refers to. */
const headLines = 40
/** What stands around a symbol and belongs to it: comments, decorators, the line that closes its class. */
const linesBefore = 15
const linesAfter = 5

/**
 * A file as somebody may read it who is to write a test for these lines: whole where it fits, else its beginning and
 * the lines themselves, as many as fit.
 *
 * @param most - bytes of content
 */
export function cutSource(path: string, text: string, ranges: readonly LineRange[], most: number): AiSource[] {
  if (Buffer.byteLength(text) <= most) return text === '' ? [] : [{ path, content: text }]
  const lines = text.split('\n')
  const wanted = [
    { startLine: 1, endLine: headLines },
    ...ranges.map(({ startLine, endLine }) => ({ startLine: startLine - linesBefore, endLine: endLine + linesAfter })),
  ]
  const cut: AiSource[] = []
  let nextLine = 1
  let left = most
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

/** In the order of the file, with what meets or overlaps made one. */
function joined(ranges: readonly LineRange[]): LineRange[] {
  const result: LineRange[] = []
  for (const range of ranges.toSorted((a, b) => a.startLine - b.startLine)) {
    const last = result.at(-1)
    if (last && range.startLine <= last.endLine + 1) last.endLine = Math.max(last.endLine, range.endLine)
    else result.push({ ...range })
  }
  return result
}

function upTo(most: number, lines: readonly string[]): string {
  let bytes = 0
  const fitting = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > most)
  return (fitting < 0 ? lines : lines.slice(0, fitting)).join('\n')
}
