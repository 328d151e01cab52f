import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSlowExpressions } from './find-slow-expressions.ts'
import { keyOf, readVerdicts } from './judge-expressions.ts'
import { expressionsOf, readExpressions } from './read-expressions.ts'

const sourcesOf = (code: string) => expressionsOf('engines/probe.ts', code).map(({ source }) => source)

test.each([
  [String.raw`text.replace(/\s+$/, '')`, String.raw`\s+$`],
  [String.raw`new RegExp('\\s+$')`, String.raw`\s+$`],
  ['new RegExp(String.raw`\\s+$`)', String.raw`\s+$`],
  ['const blank = "[ ]"\nRegExp(`${blank}+$`)', '[ ]+$'],
  ['const blank = /[ ]/\nnew RegExp(blank.source + "+$")', '[ ]+$'],
  ['const find = (name: string) => new RegExp(`^${name}:`)', '^a:'],
  ['const find = (pattern: string) => new RegExp(pattern)', null],
])('reads the expression of %s', (code, source) => {
  expect(sourcesOf(code).at(-1)).toBe(source)
})

test('reads those of linguist and no division', () => {
  expect(sourcesOf('const half = (a: number, b: number) => a / 2 / b')).toEqual([])
  const files = new Set(readExpressions(join(import.meta.dirname, '..')).map(({ file }) => file))
  expect(files).toContain('engines/languages/linguist/paths.json')
})

const probe = (code: string) => expressionsOf('core/probe.ts', code)

test('reports slow expressions, those without a verdict, and reasons for none', () => {
  const verdicts = { '/a$/': 'linear', '/a+$/': 'polynomial 2', '/(a|a)+$/': 'exponential', '/[a-z]+$/u': 'unknown' }
  const expressions = probe('[/a$/g, /a+$/, /(a|a)+$/, /[a-z]+$/u, /b/, new RegExp(given)]')
  const reason = 'a reason'
  expect(findSlowExpressions(expressions, verdicts, [])).toEqual([
    'core/probe.ts:1: /a+$/ takes polynomial 2 time. Rewrite it, or bound what it reads.',
    'core/probe.ts:1: /(a|a)+$/ takes exponential time. Rewrite it, or bound what it reads.',
    'core/probe.ts:1: /[a-z]+$/u is too complex to tell how its time grows. Rewrite it, or bound what it reads.',
    'core/probe.ts:1: /b/ has no verdict. Run `node checks/judge-expressions.ts`.',
    'core/probe.ts:1: new RegExp(given) is computed, so that nothing is known about its time. Rewrite it, or bound what it reads.',
  ])
  expect(
    findSlowExpressions(expressions, { ...verdicts, '/b/': 'linear' }, [{ file: 'core/probe.ts', reason }]),
  ).toEqual([])
  expect(findSlowExpressions(probe('/a$/'), verdicts, [{ file: 'core/probe.ts', expression: '/a$/', reason }])).toEqual(
    ['checks/allowed-expressions.ts allows /a$/ in core/probe.ts, which is not needed.'],
  )
})

test('every expression of the product has a verdict, and every verdict an expression', () => {
  const root = join(import.meta.dirname, '..')
  const expressions = readExpressions(root).filter(({ source }) => source !== null)
  expect(Object.keys(readVerdicts()).toSorted()).toEqual([...new Set(expressions.map(keyOf))].toSorted())
  expect(findSlowExpressions(readExpressions(root), readVerdicts())).toEqual([])
})
