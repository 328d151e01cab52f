import { expect, test } from 'vitest'
import { lineCounter } from './lines.ts'
import { parseLeniently } from './parse-javascript.ts'
import { uncalledCode } from './uncalled-code.ts'

interface Reported {
  uncalled: number[]
  ran?: number[]
  untaken?: Record<number, number>
}

/** The texts of the parts that did not run, and the lines whose only code they are. */
function read(source: string, { uncalled, ran = [], untaken = {} }: Reported) {
  const { program, errors } = parseLeniently(source, 'tsx')
  expect(errors).toEqual([])
  const { parts, lines } = uncalledCode(program, lineCounter(source), {
    isUncalled: (line) => uncalled.includes(line),
    hasRun: (first, last) => ran.some((line) => line >= first && line <= last),
    untaken: (line) => untaken[line] ?? 0,
  })
  return { parts: parts.map(({ start, end }) => source.slice(start, end)), lines }
}

test.each([
  ['a function', 'export function f(a) { return a + 1 }', ['a', '{ return a + 1 }']],
  ['an arrow', 'export const f = (a, b = 2) => a * b', ['a', 'b = 2', 'a * b']],
  ['an arrow with a type', 'const f = ((a: number): number => a * 2) as Twice', ['a: number', 'a * 2']],
  ['a default export', 'export default async (a) => a * 2', ['a', 'a * 2']],
  ['an export of CommonJS', 'module.exports.f = exports.f = function (a) { return a }', ['a', '{ return a }']],
  ['a method', 'class A {\n  f(a) { return a }\n}', ['a', '{ return a }'], 2],
  ['a getter', 'class A {\n  static get f() { return 1 }\n}', ['{ return 1 }'], 2],
  ['a field of a class', 'class A {\n  private f = (a) => a * 2\n}', ['a', 'a * 2'], 2],
  ['members of an object', "const o = {\n  'f': (a) => a, g(b) { return b },\n}", ['a', 'a', 'b', '{ return b }'], 2],
  ['an argument on its own line', 'each(\n  (a) => a * 2,\n)', ['a', 'a * 2'], 2],
  ['the default of a parameter', 'function f(a, { b = 2 } = {}) {\n  return a + b\n}', ['a', '{ b = 2 } = {}', '{\n  return a + b\n}']], // prettier-ignore
])('the line of an uncalled function has no other code: %s', (_, source, parts, line = 1) => {
  expect(read(source, { uncalled: [line] })).toEqual({ parts, lines: [line] })
  expect(read(source, { uncalled: [] })).toEqual({ parts: [], lines: [] })
})

test.each([
  ['a call', 'const all = list.map((a) => a * 2)', ['a', 'a * 2']],
  ['a call that goes on', 'list\n  .map((a) => a * 2)', ['a', 'a * 2'], 2],
  ['another value', 'const limit = 3, f = () => 1', ['1']],
  ['a statement', 'function f() { return 1 } g()', ['{ return 1 }']],
  ['a result', 'function f() {\n  return (a) => a * 2\n}', ['a', 'a * 2'], 2],
  ['a decorator', 'class A {\n  @logged f() { return 1 }\n}', ['{ return 1 }'], 2],
  ['a computed name', 'const o = {\n  [name()]: () => 1,\n}', ['1'], 2],
  ['nothing but the declaration', 'function f(a) {\n  return a\n}', ['a', '{\n  return a\n}']],
  ['an empty body', 'const none = () => {}', ['{}']],
])('the line of an uncalled function has other code: %s', (_, source, parts, line = 1) => {
  expect(read(source, { uncalled: [line] })).toEqual({ parts, lines: [] })
})

test('code within a function that ran says that the report means another function', () => {
  const source = 'const f = (a) => {\n  g(a)\n}'
  expect(read(source, { uncalled: [1], ran: [1] }).parts).toEqual(['a', '{\n  g(a)\n}'])
  expect(read(source, { uncalled: [1], ran: [1, 2] }).parts).toEqual([])
})

test('a default did not run if no branch of its line was taken, and all of them are defaults', () => {
  const called = 'function f(a, b = 2, c = 3) {\n  return a\n}'
  expect(read(called, { uncalled: [], untaken: { 1: 2 } })).toEqual({ parts: ['2', '3'], lines: [] })
  expect(read(called, { uncalled: [], untaken: { 1: 1 } }).parts).toEqual([])
  expect(read('function f(a = 1) { return a ? 2 : 3 }', { uncalled: [], untaken: { 1: 1 } }).parts).toEqual([])
  expect(read('const f = (a = 1) => a?.b', { uncalled: [], untaken: { 1: 1 } }).parts).toEqual([])
})
