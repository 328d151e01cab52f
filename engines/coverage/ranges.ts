import type { FileCoverage } from './coverage.ts'

export type Ranges = readonly (readonly [number, number])[]

const zero = 0x30
const dash = 0x2d
const comma = 0x2c
/** Characters of two numbers of ten digits, a dash and a comma. */
const maxRangeLength = 22

/** One buffer for all files: a buffer for each file would take more memory than garbage collection frees in time. */
const desk = Buffer.alloc(64 * 1_024)

/**
 * `1-4,9`, as the database keeps them; empty for no line. Written from its end, digit by digit: strings of each number
 * were most of the memory that it took to store a large report.
 */
export function formatRanges(ranges: Ranges): string {
  const maxLength = ranges.length * maxRangeLength
  const bytes = maxLength <= desk.length ? desk : Buffer.allocUnsafe(maxLength)
  let at = bytes.length
  const write = (number: number) => {
    for (let rest = number; rest > 0; rest = Math.floor(rest / 10)) bytes[--at] = zero + (rest % 10)
  }
  for (let index = ranges.length - 1; index >= 0; index--) {
    const [first, last] = ranges[index] ?? [0, 0]
    if (at < bytes.length) bytes[--at] = comma
    write(last)
    if (first === last) continue
    bytes[--at] = dash
    write(first)
  }
  return bytes.toString('latin1', at)
}

/** @throws RangeError for what `formatRanges` does not write */
export function parseRanges(text: string): Ranges {
  if (text === '') return []
  let before = 0
  return text.split(',').map((part) => {
    const [, first, last = first] = /^([1-9]\d{0,9})(?:-([1-9]\d{0,9}))?$/.exec(part) ?? []
    const range = [Number(first), Number(last)] as const
    // Not a comparison for "wrong", because NaN is neither.
    if (!(range[0] > before && range[1] >= range[0])) throw new RangeError(`"${part}" is no range of lines here`)
    before = range[1]
    return range
  })
}

export function countRanges(ranges: Ranges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** The part of the ranges from line `first` to line `last`. */
export function clipRanges(ranges: Ranges, first: number, last: number): Ranges {
  const clipped: [number, number][] = []
  for (let at = rangeAt(ranges, first); at < ranges.length; at++) {
    const [from, to] = ranges[at] ?? [Infinity, Infinity]
    if (from > last) break
    clipped.push([Math.max(from, first), Math.min(to, last)])
  }
  return clipped
}

/** Whether a line is in the ranges, which are in order. */
export const hasLine = (ranges: Ranges, line: number): boolean =>
  (ranges[rangeAt(ranges, line)]?.[0] ?? Infinity) <= line

/** The position of the first range that ends at the line or after it. */
function rangeAt(ranges: Ranges, line: number): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.[1] ?? Infinity) < line) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the lines that are in either list. */
export function uniteRanges(some: Ranges, others: Ranges): Ranges {
  const united: [number, number][] = []
  for (const [first, last] of [...some, ...others].toSorted((a, b) => a[0] - b[0])) {
    const before = united.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else united.push([first, last])
  }
  return united
}

/** The lines of `ranges` that are not in `others`. */
export function withoutRanges(ranges: Ranges, others: Ranges): Ranges {
  const left: [number, number][] = []
  let next = 0
  for (const [first, last] of ranges) {
    let from = first
    while ((others[next]?.[1] ?? Infinity) < from) next++
    for (let at = next; from <= last; at++) {
      const [otherFirst, otherLast] = others[at] ?? [Infinity, Infinity]
      if (otherFirst > from) left.push([from, Math.min(last, otherFirst - 1)])
      from = otherLast + 1
    }
  }
  return left
}

/** Returns the lines that are in both lists. */
export const intersectRanges = (ranges: Ranges, others: Ranges): Ranges =>
  withoutRanges(ranges, withoutRanges(ranges, others))

/** Compares two coverages of one version of a file; null means no coverage. */
export function compareCoverage(
  before: Pick<FileCoverage, 'coveredLines'> | null,
  after: Pick<FileCoverage, 'coveredLines'> | null,
): { newlyCovered: Ranges; noLongerCovered: Ranges } {
  const old = before?.coveredLines ?? []
  const now = after?.coveredLines ?? []
  return { newlyCovered: withoutRanges(now, old), noLongerCovered: withoutRanges(old, now) }
}

export const includesLine = (ranges: Ranges, line: number): boolean =>
  ranges.some(([first, last]) => line >= first && line <= last)
