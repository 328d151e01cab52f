import { expect, test } from 'vitest'
import { cellsOf, pitch, type TestDay } from './day-cells.ts'

const ran = (day: string, fields: Partial<TestDay> = {}): TestDay => ({
  day,
  runs: 10,
  failures: 0,
  muted: 0,
  retried: 0,
  p50Ms: null,
  p95Ms: null,
  ...fields,
})

test('the calendar has a column for each week from Monday on, with the days without a run', () => {
  // A Saturday and the Monday after it.
  const { cells, weeks } = cellsOf([ran('2026-11-28'), ran('2026-11-30')])
  expect(weeks).toBe(2)
  expect(cells.map(({ day, x, y, look }) => [day, x / pitch, y / pitch, look])).toEqual([
    ['2026-11-28', 0, 5, 'passed'],
    ['2026-11-29', 0, 6, 'idle'],
    ['2026-11-30', 1, 0, 'passed'],
  ])
})

test('a day is filled by its share of failures, and its text has all counts', () => {
  const { cells, height } = cellsOf([
    ran('2026-11-23', { failures: 10 }),
    ran('2026-11-24', { failures: 4, muted: 1, retried: 2 }),
    ran('2026-11-25', { muted: 5 }),
    ran('2026-11-26', { runs: 1_000, failures: 1 }),
    ran('2026-11-27', { retried: 1 }),
  ])
  expect(cells.map(({ look, filled, size }) => [look, filled / size])).toEqual([
    ['failed', 1],
    ['failed', 0.5],
    ['muted', 0.5],
    ['failed', 3 / 13],
    ['retried', 0],
  ])
  expect(cells[1]?.text).toBe('2026-11-24: 10 runs, 4 failed, 1 failed but muted, 2 passed on retry')
  expect(height).toBe(5 * pitch)
})
