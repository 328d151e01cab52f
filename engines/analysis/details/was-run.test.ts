import { expect, test } from 'vitest'
import type { CarriedFile } from '../../coverage/carry-over.ts'
import { casesIn } from '../../parsing/testing/cases.ts'
import { wasRun } from './was-run.ts'

const guard = `function f(a) {
  if (a) {
    return 1
  }
  return 2
}`

test('a branch on lines of its own was run if its first line was', async () => {
  expect(await runs(guard, { covered: [2, 3], uncovered: [5] })).toEqual({ a: true, '!a': false })
  expect(await runs(guard, { covered: [2, 5], uncovered: [3] })).toEqual({ a: false, '!a': true })
})

test('no case of code that does not run was run', async () => {
  expect(await runs(guard, { covered: [], uncovered: [2, 3, 5] })).toEqual({ a: false, '!a': false })
})

test('lines that changed since the measurement say nothing', async () => {
  expect(await runs(guard, { covered: [], uncovered: [], changed: [2, 3, 5] })).toEqual({ a: null, '!a': null })
})

const oneLine = `function f(a) {
  if (a) return 1
  return 2
}`

test('of a branch on the line of its condition the counts of branches tell, and what runs after it', async () => {
  const lines = { covered: [2, 3], uncovered: [] }
  expect(await runs(oneLine, lines)).toEqual({ a: null, '!a': true })
  // Istanbul counts both ways, V8 the one that was not taken.
  expect(await runs(oneLine, { ...lines, partial: [[2, 1, 2]] })).toEqual({ a: false, '!a': true })
  expect(await runs(oneLine, { ...lines, partial: [[2, 0, 1]] })).toEqual({ a: false, '!a': true })
  // The counts of the whole file are known, and nothing is missing on this line.
  expect(await runs(oneLine, { ...lines, partial: [[9, 0, 1]] })).toEqual({ a: true, '!a': true })
})

test('counts that may be about another branch of the line say nothing', async () => {
  const ternary = 'function f(a) {\n  return a ? 1 : 2\n}'
  expect(await runs(ternary, { covered: [2], uncovered: [], partial: [[2, 1, 2]] })).toEqual({ a: null, '!a': null })
  const compound = 'function f(a, b) {\n  if (a && b) return 1\n  return 2\n}'
  const measured = { covered: [2, 3], uncovered: [], partial: [[2, 1, 2] as const] }
  expect(await runs(compound, measured)).toEqual({ 'a && b': null, '!(a && b)': true })
})

test('a default was not used if the only branch of its line was not taken', async () => {
  const source = 'function f(a) {\n  return a ?? 1\n}'
  const lines = { covered: [2], uncovered: [] }
  expect(await runs(source, { ...lines, partial: [[2, 0, 1]] })).toEqual({ 'a is null or undefined': false })
  expect(await runs(source, { ...lines, partial: [[2, 1, 2]] })).toEqual({ 'a is null or undefined': false })
  expect(await runs(source, { ...lines, partial: [[8, 0, 1]] })).toEqual({ 'a is null or undefined': true })
  expect(await runs(source, lines)).toEqual({ 'a is null or undefined': null })
})

test('a statement that shares its line with other branches may have run although they were not taken', async () => {
  const source = 'function f(a, b) {\n  if (a) {\n    return 1\n  }\n  return b || 2\n}'
  const measured = { covered: [2, 3, 5], uncovered: [], partial: [[5, 0, 1] as const] }
  expect(await runs(source, measured)).toEqual({ a: true, '!a': true, 'b is falsy': false })
})

test('a loop was not entered somewhere if its body never ran; otherwise nothing tells', async () => {
  const source = 'function f(list) {\n  for (const one of list) {\n    use(one)\n  }\n}'
  expect(await runs(source, { covered: [2], uncovered: [3] })).toEqual({ 'list is empty': true })
  expect(await runs(source, { covered: [2, 3], uncovered: [] })).toEqual({ 'list is empty': null })
})

test('arms that go on with the next one share its lines', async () => {
  const source = 'switch (a) {\n  case 1:\n  case 2:\n    one()\n    break\n  case 3:\n    two()\n}'
  expect(await runs(source, { covered: [1, 4, 5], uncovered: [7] })).toEqual({
    'switch (a): case 1': null,
    'switch (a): case 2': true,
    'switch (a): case 3': false,
    'switch (a): none of its cases': null,
  })
})

interface Measured {
  covered: number[]
  uncovered: number[]
  changed?: number[]
  partial?: (readonly [line: number, taken: number, total: number])[]
}

async function runs(source: string, { covered, uncovered, changed = [], partial }: Measured) {
  const single = (lines: readonly number[]) => lines.map((line) => [line, line] as const)
  const file: CarriedFile = {
    covered: single(covered),
    uncovered: single(uncovered),
    changed: single(changed),
    partialBranches: partial?.map(([line, taken, total]) => ({ line, taken, total })) ?? null,
  }
  const cases = await casesIn('ts', source)
  return Object.fromEntries(cases.map((one) => [one.condition, wasRun(one.run, file)]))
}
