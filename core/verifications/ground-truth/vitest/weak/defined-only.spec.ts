import { expect, test } from 'vitest'
import { daysInMonth } from '../src/days-in-month.ts'

test('knows months', () => {
  expect(daysInMonth(2024, 2)).toBeDefined()
  expect(daysInMonth(2026, 4)).toBeTruthy()
  expect(daysInMonth(2026, 12)).not.toBeNull()
})
