import { expect, test } from 'vitest'
import type { Mutant } from '../mutation/mutant.ts'
import type { MutationOperator } from '../mutation/schema.ts'
import { bestFirst, inTurns, numberByLot } from './order.ts'

const mutant = (path: string, line: number, operator: MutationOperator, start = line * 100): Mutant => ({
  path,
  line,
  operator,
  original: 'a',
  replacement: 'b',
  start,
  end: start + 1,
})

test('tries changed lines first, then the best candidates, error paths before arithmetic, and tables last', () => {
  const table = mutant('a.ts', 1, 'arithmetic')
  const all = [
    table,
    mutant('a.ts', 10, 'arithmetic'),
    mutant('a.ts', 11, 'removed_throw'),
    mutant('b.ts', 20, 'condition'),
    mutant('b.ts', 30, 'arithmetic'),
  ]
  const changed = new Map([['b.ts', [[30, 30]] as const]])
  const candidates = [
    { path: 'a.ts', lines: [[9, 12]] as const, score: 0.9 },
    { path: 'b.ts', lines: [[20, 22]] as const, score: 0.4 },
  ]
  const sorted = bestFirst(all, { changed, candidates }, (one) => one === table)
  expect(sorted.map(({ path, line }) => `${path}:${line}`)).toEqual([
    'b.ts:30',
    'a.ts:11',
    'a.ts:10',
    'b.ts:20',
    'a.ts:1',
  ])
})

test('looks at each line once before it looks at one twice', () => {
  const crowded = [1, 2, 3].map((start) => mutant('a.ts', 5, 'boundary', start))
  const sorted = bestFirst(
    [...crowded, mutant('a.ts', 6, 'arithmetic')],
    { changed: new Map(), candidates: [] },
    () => false,
  )
  expect(sorted.map(({ line }) => line)).toEqual([5, 6, 5, 5])
})

test('a boundary on the line of an error comes before all arithmetic of code that is worth as much', () => {
  const all = [
    mutant('a.ts', 4, 'arithmetic'),
    mutant('a.ts', 3, 'condition', 301),
    mutant('a.ts', 3, 'boundary', 302),
    mutant('a.ts', 3, 'removed_throw', 303),
    mutant('b.ts', 7, 'arithmetic'),
    mutant('b.ts', 8, 'boundary'),
  ]
  const sorted = bestFirst(all, { changed: new Map(), candidates: [] }, () => false)
  expect(sorted.map(({ operator }) => operator)).toEqual([
    'removed_throw',
    'boundary',
    'boundary',
    'condition',
    'arithmetic',
    'arithmetic',
  ])
})

test('most mutants are tried in the order of their worth, and every fourth by lot', () => {
  const all = Array.from({ length: 400 }, (_, index) => mutant('a.ts', index + 1, 'condition'))
  const numbered = numberByLot(all)
  expect(numbered.map((one) => one.id).toSorted((a, b) => a - b)).toEqual(all.map((_, index) => index + 1))
  expect(numberByLot(all.toReversed())).toEqual(numbered.toReversed())
  const turns = inTurns(numbered)
  expect(new Set(turns)).toEqual(new Set(numbered))
  const first = new Set(turns.slice(0, 100))
  // Of the sample that is drawn by lot, nothing is left out.
  expect([...first].filter(({ id }) => id <= 24)).toHaveLength(24)
  expect(numbered.slice(0, 70).every((one) => first.has(one))).toBe(true)
})
