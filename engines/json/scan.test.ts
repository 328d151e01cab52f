import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { pickMembers } from './pick.ts'
import { JsonProblem, scanJson, type ScanLimits } from './scan.ts'

const problemOf = (text: string, limits: ScanLimits = {}) => {
  try {
    scanJson(Buffer.from(text), limits)
    return undefined
  } catch (error) {
    if (error instanceof JsonProblem) return error.kind
    throw error
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('accepts what JSON.parse accepts', () => {
  const parts = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"a":',
    '\\',
    '\\u00e9',
    '\\u00g0',
    '\\n',
    '\\x',
    '\n',
    '\t',
    ' ',
    '0',
    '1',
    '-',
    '+',
    '.',
    'e',
    'E5',
    '1.5',
    '01',
    '-0',
    'true',
    'false',
    'null',
    'nul',
    'é',
    '\u0007',
    '\u00a0',
  ]
  const part = fc.constantFrom(...parts)
  const broken = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
  const whole = fc.json()
  const almost = fc.tuple(whole, fc.nat(), part).map(([text, place, inserted]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + inserted + text.slice(at)
  })
  fc.assert(
    fc.property(fc.oneof(broken, whole, almost), (text) => {
      expect([text, problemOf(text) === undefined]).toEqual([text, isJson(text)])
    }),
    { numRuns: 3_000, seed: 16 },
  )
})

test('counts the members of objects and arrays, and the levels', () => {
  const text = '{"a":[1,2,{}],"b":{"c":null}}'
  expect(problemOf(text, { maxValues: 6, maxDepth: 3 })).toBe(undefined)
  expect(problemOf(text, { maxValues: 5 })).toBe('values')
  expect(problemOf(text, { maxDepth: 2 })).toBe('depth')
  expect(problemOf('1', { maxValues: 0, maxDepth: 0 })).toBe(undefined)
  expect(problemOf('['.repeat(1_000_000), { maxDepth: 1_000 })).toBe('depth')
  expect(problemOf('['.repeat(1_000_000), { maxValues: 1_000 })).toBe('values')
})

const wanted = { a: true, b: { c: true, d: { e: true } } } as const
const pick = (text: string) => pickMembers(Buffer.from(text), wanted, {})

test('picks members at any depth, and leaves out the others', async () => {
  expect(await pick('{"x":[{"a":9}],"a":1.5,"b":{"c":"\\u00e9 é","x":{"c":1},"d":{"e":true}}}')).toEqual({
    a: 1.5,
    b: { c: 'é é', d: { e: true } },
  })
  expect(await pick('\uFEFF {"\\u0061":1}')).toEqual({ a: 1 })
})

test('picks the last of several members with the same name', async () => {
  expect(await pick('{"a":1,"a":2,"b":{"c":1},"b":{"d":{"e":2}}}')).toEqual({ a: 2, b: { d: { e: 2 } } })
})

test('members of another kind are null', async () => {
  expect(await pick('{"a":{"a":1},"b":[{"c":1}]}')).toEqual({ a: null, b: null })
  expect(await pick(`{"a":"${'x'.repeat(20_000)}","b":{"d":1}}`)).toEqual({ a: null, b: { d: null } })
})

test('the whole text must be an object', async () => {
  for (const text of ['[]', '1', '[{"a":1}]']) expect(await pick(text)).toBe(undefined)
  for (const text of ['', '{"a":1', '{"a":1}}', '{"x":{]}']) await expect(pick(text)).rejects.toThrow('not valid JSON')
})

test('other work goes on while a large text is read', async () => {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  count()
  await pick(`{"x":[${'{},'.repeat(1_000_000)}1],"a":1}`)
  isDone = true
  expect(turns).toBeGreaterThan(20)
})

const readers: Reader[] = [
  {
    name: 'JSON',
    read: pick,
    benign: (size) => `{"a":1,"x":[${'{"a":1},'.repeat(size / 8)}1]}`,
    tokens: ['{', '"a":', '"b":{', '[', ']', '}', ',', '1', '"', '\\u0000', '1e9', ' ', 'true'],
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)
