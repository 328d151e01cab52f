import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineMarks, markLine, rangesOf } from './line-marks.ts'
import { compareCoverage, countRanges, formatRanges, parseRanges, type Ranges, withoutRanges } from './ranges.ts'

const someLines = fc.uniqueArray(fc.integer({ min: 1, max: 3000 }), { maxLength: 60 })

test('writes short ranges and reads them back', () => {
  expect(formatRanges(rangesFrom([9, 1, 2, 3, 4]))).toBe('1-4,9')
  expect(parseRanges('1-4,9')).toEqual([
    [1, 4],
    [9, 9],
  ])
  expect(parseRanges(formatRanges([]))).toEqual([])
  fc.assert(
    fc.property(someLines, (lines) => {
      const ranges = rangesFrom(lines)
      expect(parseRanges(formatRanges(ranges))).toEqual(ranges)
      expect(linesOf(ranges)).toEqual(lines.toSorted((a, b) => a - b))
      expect(countRanges(ranges)).toBe(lines.length)
    }),
  )
})

test.each(['1-', '0-3', '4-1', '3,2', '1-4,4', 'a', '1,,2', ' 1', '1e3'])('does not read %j as ranges', (text) => {
  expect(() => parseRanges(text)).toThrow(RangeError)
})

test('subtracts ranges like sets of lines', () => {
  fc.assert(
    fc.property(someLines, someLines, (lines, others) => {
      const left = withoutRanges(rangesFrom(lines), rangesFrom(others))
      expect(left).toEqual(rangesFrom(lines.filter((line) => !others.includes(line))))
    }),
  )
})

test('says which lines became covered, and which are no longer', () => {
  const before = { coveredLines: parseRanges('1-10,20') }
  const after = { coveredLines: parseRanges('5-12,20,30') }
  const { newlyCovered, noLongerCovered } = compareCoverage(before, after)
  expect(formatRanges(newlyCovered)).toBe('11-12,30')
  expect(formatRanges(noLongerCovered)).toBe('1-4')
  expect(formatRanges(compareCoverage(null, after).newlyCovered)).toBe('5-12,20,30')
  expect(formatRanges(compareCoverage(before, null).noLongerCovered)).toBe('1-10,20')
})

function rangesFrom(lines: readonly number[]): Ranges {
  const marks = createLineMarks()
  for (const line of lines) markLine(marks, line, true)
  return rangesOf('covered', marks)
}

function linesOf(ranges: Ranges): number[] {
  return ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
}
