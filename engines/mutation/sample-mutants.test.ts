import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MutationOperator } from './schema.ts'
import type { Mutant } from './mutant.ts'
import { sampleMutants } from './sample-mutants.ts'

const mutant = (line: number, operator: MutationOperator, start = line * 100): Mutant => ({
  path: 'a.ts',
  line,
  operator,
  start,
  end: start + 1,
  original: '<',
  replacement: '<=',
})

const mutants = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom(...MutationOperator.options)), { maxLength: 60 })
  .map((list) =>
    list
      .map(([line, operator], index) => mutant(line, operator, line * 1_000 + index))
      .toSorted((a, b) => a.start - b.start),
  )
const count = fc.integer({ min: 0, max: 70 })

const tally = <T>(list: readonly T[]) =>
  list.reduce((all, one) => all.set(one, (all.get(one) ?? 0) + 1), new Map<T, number>())

test('takes as many as there are, each once and in source order, the same for the same seed', () => {
  fc.assert(
    fc.property(mutants, count, fc.string(), (all, count, seed) => {
      const sample = sampleMutants(all, count, seed)
      expect(sample).toHaveLength(Math.min(count, all.length))
      expect(sample).toEqual(all.filter((one) => sample.includes(one)))
      expect(sampleMutants(all.toReversed(), count, seed)).toEqual(sample)
    }),
  )
})

test('has every operator that there is room for', () => {
  fc.assert(
    fc.property(mutants, count, fc.string(), (all, count, seed) => {
      const operators = new Set(all.map(({ operator }) => operator))
      const sampled = new Set(sampleMutants(all, count, seed).map(({ operator }) => operator))
      expect(sampled.size).toBe(Math.min(operators.size, count))
    }),
  )
})

test('takes a second one of a line when every line has one', () => {
  const lines = Array.from({ length: 30 }, (_, index) => index + 1)
  const all = lines.flatMap((line) => [0, 1, 2].map((nth) => mutant(line, 'condition', line * 10 + nth)))
  expect([...tally(sampleMutants(all, 30, 'seed').map(({ line }) => line)).values()]).toEqual(lines.map(() => 1))
  expect(Math.max(...tally(sampleMutants(all, 31, 'seed').map(({ line }) => line)).values())).toBe(2)
})

test('balances operators on lines that have several', () => {
  const all = Array.from({ length: 40 }, (_, line) => [
    mutant(line, 'condition', line * 10),
    mutant(line, 'boundary', line * 10 + 1),
  ]).flat()
  expect(tally(sampleMutants(all, 20, 'seed').map(({ operator }) => operator))).toEqual(
    new Map([
      ['condition', 10],
      ['boundary', 10],
    ]),
  )
})

test('another seed takes others', () => {
  const all = Array.from({ length: 100 }, (_, line) => mutant(line, 'condition'))
  expect(sampleMutants(all, 10, 'one')).not.toEqual(sampleMutants(all, 10, 'two'))
})
