import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLeniently } from '../parsing/javascript/parse-javascript.ts'
import { readTree } from '../parsing/syntax-tree.ts'
import { testRunner } from '../processes/testing/runner.ts'
import { findMutants, type MutantsInput } from './find-mutants.ts'
import { applyMutant, type Mutant, presentMutant } from './mutant.ts'
import { mutantsOf } from './mutants-of.ts'
import { otherText } from './other-text.ts'
import { sampleMutants } from './sample-mutants.ts'
import { everyLine, flaws } from './testing.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('reads a source in a process of its own', async () => {
  expect(
    await findMutants(testRunner, {
      path: 'src/a.ts',
      source: 'export const f = (a: number) => a < 3\n',
      lines: everyLine,
    }),
  ).toEqual([
    { path: 'src/a.ts', line: 1, operator: 'condition', original: 'a < 3', replacement: 'a >= 3', start: 32, end: 37 },
    { path: 'src/a.ts', line: 1, operator: 'boundary', original: 'a < 3', replacement: 'a <= 3', start: 32, end: 37 },
  ])
})

test('leaves out functions that were not called, and defaults that no call needed, but not other code of the lines', async () => {
  const source = `export const over = (a) => a > 10, limit = 3 + 4
export const under = (a) => a < 10
export const each = (all) => all.filter((one) => one >= 2)
export function more(a, by = 5 * 6) {
  return a + by
}
`
  const covered = { covered: [[1, 6]] as const, uncovered: [] }
  const found = async (more: Partial<NonNullable<MutantsInput['covered']>>) => {
    const input = { path: 'a.js', source, lines: everyLine, covered: { ...covered, ...more } }
    return (await findMutants(testRunner, input)).map(({ original, replacement }) => `${original} -> ${replacement}`)
  }
  const all = await found({})
  expect(all).toEqual(expect.arrayContaining(['a > 10 -> a <= 10', 'a < 10 -> a >= 10', '5 * 6 -> 5 / 6']))
  const called = await found({
    uncalled: [[1, 3]],
    partial: [{ line: 4, taken: 0, total: 1 }],
  })
  expect(all.filter((one) => !called.includes(one))).toEqual(all.filter((one) => /a [<>]=? 10|one|5|filter/.test(one)))
  expect(called).toEqual(['3 + 4 -> 3 - 4', 'a + by -> a - by'])
  const inner = await found({ uncalled: [[1, 2]] })
  expect(inner).toEqual(expect.arrayContaining(['one >= 2 -> one < 2', '5 * 6 -> 5 / 6']))
})

test.each([
  ['a language without operators', 'a.rb', 'def f() = 1 < 2'],
  ['no language', 'notes', 'if (a < b) return'],
  ['a syntax error', 'a.js', 'if (a < b { return true }'],
  ['a syntax error', 'a.py', 'if a < b\n  return True\n'],
  ['a syntax error', 'a.go', 'package a\nfunc f() { if a < { } }'],
  ['more than 1 MiB', 'a.js', 'x = a < b\n'.repeat(110_000)],
  ['brackets without end', 'a.js', '('.repeat(100_000)],
  ['a sum without end', 'a.js', `x = ${'a + '.repeat(50_000)}a`],
  ['signs without end', 'a.py', `x = ${'-'.repeat(200_000)}1\n`],
  ['brackets without end', 'a.go', `package a\nvar x = ${'('.repeat(50_000)}1${')'.repeat(50_000)}\n`],
])('finds nothing in %s: %s', async (_, path, source) => {
  expect(await findMutants(testRunner, { path, source, lines: everyLine })).toEqual([])
})

test('counts as editors do, whatever the text is made of', async () => {
  for (const [path, source] of [
    ['a.js', '\uFEFF/* 😀 é */ x = "😀" + y < z\r\nx = a < b'],
    ['a.py', '\uFEFF# 😀 é\r\nx = "😀" < a < z\nx = a < b\n'],
    ['a.go', 'package a\n/* 😀 é */ var x = "😀" < z\nvar y = a < b\n'],
  ] as const) {
    const mutants = await mutantsOf(path, source, everyLine)
    expect(mutants.length).toBeGreaterThan(3)
    expect(flaws(source, mutants)).toEqual([])
    expect(mutants.filter(({ original }) => original === 'a < b')).toHaveLength(2)
  }
})

test('is shown on one line and not too long', async () => {
  const [mutant] = await mutantsOf('a.js', `list.push(\n  ${'a, '.repeat(100)}\n)`, everyLine)
  const shown = presentMutant(mutant ?? expect.fail('no mutant'))
  expect(shown).toEqual({
    path: 'a.js',
    line: 1,
    operator: 'removed_call',
    original: expect.any(String),
    replacement: ';',
  })
  expect(shown.original).toMatch(/^list\.push\( a, a, .*…$/)
  expect(shown.original).toHaveLength(120)
})

test('gives up counting in minified sources', async () => {
  expect(await mutantsOf('a.js', 'x=a<b;'.repeat(8_000), everyLine)).toHaveLength(10_000)
})

const javaScript = globSync(
  'node_modules/{koa,koa-compose,semver,pg,yaml,nodemailer}/{lib,dist,classes,functions}/**/*.js',
  {
    cwd: root,
  },
)
const python = globSync('/usr/lib/python3.*/{text,sha,stat,boo,calen,frac,heap,html,json}*{.py,/*.py}')
const go = globSync('/usr/lib/go-1.*/src/{path,sort,strings,net/url,encoding/*,container/*}/*.go')
const parses: Record<string, (source: string) => Promise<boolean>> = {
  js: async (source) => parseLeniently(source, 'jsx').errors.length === 0,
  py: async (source) => (await readTree(source, 'python', 5_000)) !== undefined,
  go: async (source) => (await readTree(source, 'go', 5_000)) !== undefined,
}

test.each([
  ['JavaScript', javaScript],
  ['Python', python],
  ['Go', go],
])('mutants of real %s parse, say what they change, and stay on the lines that were asked for', async (_, files) => {
  // Of the languages only JavaScript is there everywhere.
  if (files.length === 0) return
  const anyLines = fc
    .array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 })
    .map((starts) => starts.map((start) => [start, start + 40] as const))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), anyLines, fc.string(), async (file, lines, seed) => {
      const path = file.startsWith('/') ? file : `${root}${file}`
      const source = readFileSync(path, 'utf8')
      fc.pre(source.length < 40_000)
      const mutants = await mutantsOf(path, source, lines)
      expect(flaws(source, mutants, lines)).toEqual([])
      expect(await parses[path.split('.').at(-1) ?? '']?.(otherText(path, source, mutants, 'old') ?? ''), path).toBe(
        true,
      )
      for (const mutant of sampleMutants(mutants, 5, seed)) {
        expect(await parses[path.split('.').at(-1) ?? '']?.(applyMutant(source, mutant)), said(mutant)).toBe(true)
      }
    }),
    { numRuns: 15 },
  )
})

const said = ({ path, line, original, replacement }: Mutant) => `${path}:${line} ${original} -> ${replacement}`
