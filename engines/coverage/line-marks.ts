import type { Ranges } from './ranges.ts'

/** No source file is longer: a report with a higher line number is forged or broken. */
export const maxLine = 2_000_000

export const pageSize = 1024
const code = 1
const reached = 2

/**
 * Which lines of a file are code and which of them were reached: a byte for each line, in pages that exist only where
 * there is a mark, so that a high line number alone does not take much memory.
 */
export interface LineMarks {
  pages: Map<number, Uint8Array>
  /** The page of the last mark, cached because most marks come in order. */
  current: Uint8Array
  currentNumber: number
}

export function createLineMarks(): LineMarks {
  return { pages: new Map(), current: new Uint8Array(0), currentNumber: -1 }
}

/** `line` is an integer from 1 to `maxLine`. */
export function markLine(marks: LineMarks, line: number, covered: boolean): void {
  const number = Math.floor(line / pageSize)
  if (number !== marks.currentNumber) turnTo(marks, number)
  const index = line % pageSize
  marks.current[index] = (marks.current[index] ?? 0) | (covered ? code | reached : code)
}

function turnTo(marks: LineMarks, number: number): void {
  let page = marks.pages.get(number)
  if (page === undefined) marks.pages.set(number, (page = new Uint8Array(pageSize)))
  marks.current = page
  marks.currentNumber = number
}

export function mergeLineMarks(into: LineMarks, from: LineMarks): void {
  for (const [number, page] of from.pages) {
    turnTo(into, number)
    for (let index = 0; index < pageSize; index++) into.current[index] = (into.current[index] ?? 0) | (page[index] ?? 0)
  }
}

/** Bytes that the marks take. */
export function sizeOfLineMarks(marks: LineMarks): number {
  return marks.pages.size * pageSize
}

export function countLines(marks: LineMarks): { covered: number; total: number } {
  let covered = 0
  let total = 0
  for (const page of marks.pages.values())
    for (const mark of page) {
      if (mark !== 0) total++
      if ((mark & reached) !== 0) covered++
    }
  return { covered, total }
}

/** Ascending. */
export function rangesOf(kind: 'covered' | 'uncovered', marks: LineMarks): Ranges {
  const wanted = kind === 'covered' ? code | reached : code
  const ranges: [number, number][] = []
  let first = 0
  let last = -1
  for (const number of [...marks.pages.keys()].toSorted((a, b) => a - b)) {
    const page = marks.pages.get(number) ?? new Uint8Array(0)
    for (let index = 0; index < page.length; index++) {
      if (page[index] !== wanted) continue
      const line = number * pageSize + index
      if (line !== last + 1) {
        if (last > 0) ranges.push([first, last])
        first = line
      }
      last = line
    }
  }
  if (last > 0) ranges.push([first, last])
  return ranges
}
