import { expect, test } from 'vitest'
import { measuredCoverage } from './measured.ts'

const lines = new Map([
  [1, 5],
  [2, 1],
  [3, 0],
  [4, 0],
  [9, 1],
])

test('is the share of the lines that ran, without the line of the declaration', () => {
  expect(measuredCoverage(lines, { startLine: 1, endLine: 4 })).toBeCloseTo(1 / 3)
  expect(measuredCoverage(lines, { startLine: 9, endLine: 9 })).toBe(1)
})

test('falls back to the declaration when the report has no other line', () => {
  expect(measuredCoverage(lines, { startLine: 9, endLine: 12 })).toBe(1)
})

test('is not known for files and symbols that the report does not have', () => {
  expect(measuredCoverage(undefined, { startLine: 1, endLine: 4 })).toBeUndefined()
  expect(measuredCoverage(lines, { startLine: 20, endLine: 30 })).toBeUndefined()
})

test('costs no more than the report is long', () => {
  expect(measuredCoverage(lines, { startLine: 1, endLine: Number.MAX_SAFE_INTEGER })).toBe(0.5)
})
