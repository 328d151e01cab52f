import { plural } from '../../parts/number-text.ts'
import type { TestDetail } from './types.ts'

export type TestDay = TestDetail['days'][number]

/** A day in the calendar. */
export interface DayCell {
  day: string
  /** From the left and the top. */
  x: number
  y: number
  size: number
  /** The height of the part that stands for failures. */
  filled: number
  look: 'idle' | 'passed' | 'retried' | 'failed' | 'muted'
  text: string
}

const size = 13
/** From one cell to the next. */
export const pitch = 15
/** One failure in a hundred runs is still visible. */
const leastFilled = 3

const dayMs = 86_400_000
const numberOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / dayMs
/** The Monday of the week: day 0, 1970-01-01, was a Thursday. */
const mondayOf = (number: number) => number - ((((number + 3) % 7) + 7) % 7)

/** Places each day from the first to the last, including those without a run. Weeks begin on Monday. */
export function cellsOf(days: readonly TestDay[]): { cells: DayCell[]; weeks: number; height: number } {
  const byNumber = new Map(days.map((day) => [numberOf(day.day), day]))
  const first = numberOf(days[0]?.day ?? '')
  const last = numberOf(days.at(-1)?.day ?? '')
  const start = mondayOf(first)
  const cells = Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index
    const day = byNumber.get(number)
    const place = { x: Math.floor((number - start) / 7) * pitch, y: ((number - start) % 7) * pitch, size }
    const name = new Date(number * dayMs).toISOString().slice(0, 10)
    return day ? cellOf(day, place) : { day: name, ...place, filled: 0, look: 'idle' as const, text: `${name}: no run` }
  })
  const height = Math.max(...cells.map(({ y }) => y)) + pitch
  return { cells, weeks: Math.floor((last - start) / 7) + 1, height }
}

function cellOf(day: TestDay, place: Pick<DayCell, 'x' | 'y' | 'size'>): DayCell {
  const { runs, failures, muted, retried } = day
  const failed = failures + muted
  const filled = failed === 0 ? 0 : Math.max(leastFilled, (size * Math.min(failed, runs)) / Math.max(1, runs))
  const look = failures > 0 ? 'failed' : muted > 0 ? 'muted' : retried > 0 ? 'retried' : 'passed'
  const parts = [
    plural(runs, 'run'),
    failures > 0 ? `${failures} failed` : '',
    muted > 0 ? `${muted} failed but muted` : '',
    retried > 0 ? `${retried} passed on retry` : '',
  ].filter((part) => part !== '')
  return { day: day.day, ...place, filled, look, text: `${day.day}: ${parts.join(', ')}` }
}
