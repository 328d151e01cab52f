import { appendFileSync } from 'node:fs'
import type { FigureName } from './goals.ts'

/** Returns the middle value, or the mean of the two middle values. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Prints a Markdown table, ready for `docs/benchmarks.md`. */
export function printTable(columns: string[], rows: (string | number)[][]): void {
  console.log(tableOf(columns, rows))
}

/** Returns a Markdown table. */
export function tableOf(columns: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A figure of `goals.ts`, as `bench/all.ts` reads it. */
export interface Figure {
  name: FigureName
  /** One value of each round, in the unit of the goal. */
  values: number[]
}

/** Hands the values of a figure to `npm run bench -- all`, if that runs this benchmark. */
export function recordFigure(name: FigureName, values: number[]): void {
  const file = process.env['BENCH_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, values } satisfies Figure)}\n`)
}

/** The cost of one kind of work at several sizes of what it works on. */
export interface Growth {
  work: string
  /** What the sizes count: `files`, `endpoints`. */
  of: string
  /** In ascending order of the size. */
  costs: { size: number; ms: number }[]
}

/** Hands the growth of a cost to `npm run bench -- all`, if that runs this benchmark. */
export function recordGrowth(growth: Growth): void {
  const file = process.env['BENCH_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ growth })}\n`)
}

/** The exponent of the growth between the first and the last size: 1 for work in proportion to the size. */
export function exponentOf({ costs }: Pick<Growth, 'costs'>): number {
  const [first, last] = [costs[0], costs.at(-1)]
  if (!first || !last || first === last) return Number.NaN
  return Math.log(last.ms / first.ms) / Math.log(last.size / first.size)
}
