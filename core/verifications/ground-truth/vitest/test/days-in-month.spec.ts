import { expect, test } from 'vitest'
import { daysInMonth } from '../src/days-in-month.ts'

test('every month of a usual year', () => {
  const days = Array.from({ length: 12 }, (_, index) => daysInMonth(2026, index + 1))
  expect(days).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
})

test.each([
  [2024, 29],
  [2025, 28],
  [1900, 28],
  [2000, 29],
])('February of %d has %d', (year, days) => {
  expect(daysInMonth(year, 2)).toBe(days)
})

test.each([0, 13])('there is no month %d', (month) => {
  expect(() => daysInMonth(2026, month)).toThrow(RangeError)
})
