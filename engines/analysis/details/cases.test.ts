import { expect, test } from 'vitest'
import type { CarriedFile } from '../../coverage/carry-over.ts'
import { casesIn } from '../../parsing/testing/cases.ts'
import { TestCandidate } from '../schema.ts'
import { casesOf } from './cases.ts'

const source = `function parse(text, options = {}) {
  for (const key of options.keys) note(key)
  const name = options.name ?? 'nobody'
  if (options.isFast) hurry()
  if (text.length > 10) return null
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyntaxError('no JSON')
  }
}`
const candidate = { path: 'src/parse.js', symbol: 'parse' }

test('names errors and boundaries first, then defaults, loops and other branches', async () => {
  const { cases, moreCases } = await casesFor(source)
  expect(
    cases?.map(({ line, condition, outcome, result, covered }) => [line, condition, outcome, result, covered]),
  ).toEqual([
    [8, 'catch (error) around return JSON.parse(text)', 'throws', 'SyntaxError: no JSON', null],
    [5, 'text.length > 10', 'returns', 'null', null],
    [1, 'options is undefined', 'default', '{}', null],
    [3, 'options.name is null or undefined', 'default', "'nobody'", null],
    [2, 'options.keys is empty', 'loop_not_entered', undefined, null],
    [4, 'options.isFast', 'default', 'hurry()', null],
    [4, '!options.isFast', 'default', undefined, null],
  ])
  expect(moreCases).toBeUndefined()
  for (const one of cases ?? []) expect(TestCandidate.shape.cases.unwrap().element.parse(one)).toEqual(one)
})

test('leaves out what tests run, and names first what they do not run', async () => {
  const { cases } = await casesFor(source, {
    covered: [[1, 7]],
    uncovered: [[9, 9]],
    partialBranches: [{ line: 5, taken: 0, total: 1 }],
    changed: [],
  })
  expect(cases?.map(({ condition, covered, notMeasured }) => [condition, covered, notMeasured])).toEqual([
    ['catch (error) around return JSON.parse(text)', false, undefined],
    ['text.length > 10', false, undefined],
    ['options is undefined', null, true],
    ['options.keys is empty', null, true],
  ])
  expect(
    (await casesFor(source)).cases?.some(({ notMeasured }) => notMeasured),
    'of estimates it goes without saying',
  ).toBe(false)
})

test('gives a case the same id after the code around it moved', async () => {
  const ids = async (text: string) => (await casesFor(text)).cases?.map(({ id }) => id).toSorted()
  const before = await ids(source)
  expect(before).toHaveLength(7)
  expect(new Set(before).size).toBe(7)
  expect(await ids(`\n\n// moved\n${source.replace('try {', '\n  note(1)\n  try {')}`)).toEqual(before)
  const other = casesOf({ ...candidate, path: 'src/other.js' }, await casesIn('ts', source), undefined)
  expect(other.cases?.some(({ id }) => before?.includes(id))).toBe(false)
})

test('tells equal conditions apart by their order', async () => {
  const twice = 'if (!a) throw new Error("a")\nnote()\nif (!a) throw new Error("a")\n'
  const { cases } = await casesFor(twice)
  expect(cases?.map(({ line, condition }) => [line, condition])).toEqual([
    [1, '!a'],
    [3, '!a'],
  ])
  expect(new Set(cases?.map(({ id }) => id)).size).toBe(2)
})

test('names the most important cases only, and says how many there are besides', async () => {
  const many = Array.from({ length: 30 }, (_, index) => `if (a${index} < ${index}) throw new Error('${index}')`).join(
    '\n',
  )
  const { cases, moreCases } = await casesFor(many)
  expect(cases).toHaveLength(12)
  expect(moreCases).toBe(18)
  expect(await casesFor(many)).not.toHaveProperty('hasUncountedCases')
  const endless = await casesFor(many.repeat(20).replaceAll(')if', ')\nif'))
  expect(endless).toMatchObject({ moreCases: expect.any(Number), hasUncountedCases: true })
  const long = await casesFor(many.replaceAll(/a(?=\d)/g, `a${'long'.repeat(25)}`))
  expect(JSON.stringify(long.cases?.map(({ condition, result }) => [condition, result])).length).toBeLessThan(1_300)
  expect(long.cases?.length).toBeLessThan(12)
  expect((long.cases?.length ?? 0) + (long.moreCases ?? 0)).toBe(30)
})

async function casesFor(text: string, measured?: CarriedFile) {
  return casesOf(candidate, await casesIn('ts', text), measured)
}
