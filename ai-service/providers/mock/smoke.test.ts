import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { AiSource } from '../../../core/ai/schema.ts'
import { aCandidate, aFile, anAnalysis } from '../../testing/analysis.ts'
import { syntaxErrors } from '../../testing/syntax.ts'
import { createMockProvider } from '../mock.ts'

const { signal } = new AbortController()
const workspace = mkdtempSync(join(tmpdir(), 'assay-smoke-'))
afterAll(() => rmSync(workspace, { recursive: true, force: true }))

const cart = {
  path: 'src/cart.ts',
  content: `export class Cart { total() { return 0 } }
export function sum(a: number, b: number) { return a + b }
export const twice = (value: number) => value * 2
export const limits = { most: 3 }
export const test = () => 1
export default function () { return 1 }
`,
}
const cartSymbols = [
  ['Cart', 'class'],
  ['Cart.total', 'method'],
  ['sum', 'function'],
  ['twice', 'function'],
  ['limits', 'function'],
  ['test', 'function'],
  ['default', 'function'],
  ['not a name', 'function'],
] as const

async function generate(
  source: AiSource,
  symbol: string | undefined,
  framework: string,
  kind: 'function' | 'method' | 'class' = 'function',
) {
  const answer = await createMockProvider().generateTests(
    {
      ...anAnalysis({
        files: [aFile(source.path)],
        testCandidates: symbol === undefined ? [] : [aCandidate({ path: source.path, symbol, kind })],
      }),
    },
    { testType: undefined, framework, target: { path: source.path, symbol }, count: 1, sources: [source], signal },
  )
  const [test] = Object.values(answer.tests).flat()
  if (!test) throw new Error('nothing was generated')
  return test
}

/** Writes a project with a generated test for each symbol. */
async function writeProject(
  name: string,
  source: AiSource,
  framework: string,
  symbols: readonly (readonly [string, 'function' | 'method' | 'class'])[],
) {
  const root = join(workspace, name)
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  write('package.json', '{"type":"module"}')
  write(source.path, source.content)
  const files: string[] = []
  for (const [index, [symbol, kind]] of symbols.entries()) {
    const { file, code } = await generate(source, symbol, framework, kind)
    const own = file.replace(/(?=(?:\.test)?\.[a-z]+$)/, `_${index}`)
    write(own, code)
    files.push(own)
  }
  return { root, files }
}

const run = (root: string, command: string, args: readonly string[], environment: Record<string, string> = {}) =>
  spawnSync(command, args, { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'], ...environment } })

test('a generated test of a target passes under node:test', async () => {
  const { root, files } = await writeProject('node', cart, 'node:test', cartSymbols)
  const { status, stdout } = run(root, process.execPath, [
    '--test',
    '--test-isolation=none',
    '--test-reporter=tap',
    ...files,
  ])
  expect(stdout).toMatch(new RegExp(`# pass ${cartSymbols.length}\n`))
  expect(status).toBe(0)
})

test('a generated test of a target passes under vitest', async () => {
  const { root } = await writeProject('vitest', cart, 'vitest', cartSymbols)
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'))
  const report = join(root, 'report.json')
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--no-isolate',
    '--no-file-parallelism',
    '--root',
    root,
    '--reporter=json',
    `--outputFile=${report}`,
  ]
  const { status } = run(root, process.execPath, args)
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    numPassedTests: cartSymbols.length,
    numFailedTests: 0,
    numTodoTests: 0,
  })
  expect(status).toBe(0)
})

test('a generated test of a target passes under unittest and pytest, if Python is installed', async () => {
  const content = 'class Cart:\n    def total(self):\n        return 0\n\n\ndef load(path):\n    return path\n'
  const symbols = [
    ['Cart', 'class'],
    ['Cart.total', 'method'],
    ['load', 'function'],
    ['not a name', 'function'],
  ] as const
  for (const [framework, module] of [
    ['unittest', 'unittest'],
    ['pytest', 'pytest'],
  ] as const) {
    const { root, files } = await writeProject(framework, { path: 'src/shop/cart.py', content }, framework, symbols)
    const { status, error, stdout, stderr } = run(root, 'python3', ['-m', module, ...files], { PYTHONPATH: 'src' })
    if (error || stderr.includes(`No module named ${module}`)) continue
    expect([status, stdout, stderr]).toEqual([0, expect.any(String), expect.any(String)])
    expect(stdout + stderr).toMatch(/Ran 4 tests|4 passed/)
  }
})

test('Go uses the package of the source, and names nothing that needs type arguments', async () => {
  const content =
    'package carts\n\nfunc Map[K any](value K) K { return value }\n\ntype Cart struct{}\n\nfunc (c *Cart) Total() int { return 0 }\n\nfunc Sum(a, b int) int { return a + b }\n'
  const source = { path: 'internal/cart/cart.go', content }
  for (const [symbol, kind, expected] of [
    ['Sum', 'function', 'var subject any = Sum'],
    ['Cart.Total', 'method', 'var subject any = (*Cart).Total'],
    ['Cart', 'class', 'var subject any = new(Cart)'],
    ['Map', 'function', 't.Log("the package compiles")'],
  ] as const) {
    const { file, code } = await generate(source, symbol, 'go test', kind)
    expect(file).toBe('internal/cart/cart_test.go')
    expect(code).toContain('package carts\n')
    expect(code).toContain(expected)
    expect(await syntaxErrors(file, code)).toEqual([])
  }
})

test('every framework for scripts gets valid code', async () => {
  for (const framework of ['jest', 'mocha', 'ava', 'jasmine', 'bun:test']) {
    for (const [symbol, kind] of cartSymbols) {
      const { file, code } = await generate(cart, symbol, framework, kind)
      expect([await syntaxErrors(file, code), code]).toEqual([[], code])
      expect(code).toContain('[MOCK RESPONSE] A smoke test')
    }
  }
})

test('other languages keep their skeleton, and none replaces a source file', async () => {
  for (const [path, framework] of [
    ['src/cart.rs', 'cargo test'],
    ['src/Cart.java', 'junit'],
    ['src/cart.kt', 'junit'],
  ] as const) {
    const { file, code } = await generate({ path, content: '' }, 'total', framework)
    expect(file).not.toBe(path)
    expect(code).toContain('[MOCK RESPONSE]')
  }
})

test('a test of a target is a new file, also if the source has a test', async () => {
  const analysis = anAnalysis()
  const answer = await createMockProvider().generateTests(
    { ...analysis },
    { testType: 'unit', framework: undefined, target: { path: 'src/config.ts', symbol: 'parseConfig' }, signal },
  )
  expect(answer.tests.unit_tests).toMatchObject([
    {
      file: 'src/config.parse-config.test.ts',
      framework: 'vitest',
      target: { path: 'src/config.ts', symbol: 'parseConfig', startLine: 10, endLine: 42 },
    },
  ])
})

test('a whole file as target gives tests for its candidates', async () => {
  const analysis = anAnalysis({ testCandidates: [aCandidate(), aCandidate({ symbol: 'writeConfig' })] })
  const files = async (count: number) => {
    const target = { path: 'src/config.ts' }
    const answer = await createMockProvider().generateTests(
      { ...analysis },
      { testType: 'unit', framework: undefined, target, count, signal },
    )
    return answer.tests.unit_tests?.map(({ file }) => file)
  }
  expect(await files(1)).toEqual(['src/config.parse-config.test.ts'])
  expect(await files(5)).toEqual(['src/config.parse-config.test.ts', 'src/config.write-config.test.ts'])
})

test('refuses a target outside the repository', async () => {
  const target = { path: '../../etc/passwd' }
  const answer = await createMockProvider().generateTests(
    {},
    { testType: undefined, framework: undefined, target, signal },
  )
  expect(answer.test_count).toBe(0)
})

test('skips tests to avoid and suggests the next best', async () => {
  const analysis = anAnalysis()
  const suggest = async (avoid: { file_path: string; symbol?: string; test_type?: 'unit' | 'e2e' }[]) => {
    const { suggestions } = await createMockProvider().suggestTests(analysis, { maxSuggestions: 1, avoid, signal })
    return suggestions.map(({ target }) => target?.symbol)
  }
  expect(await suggest([])).toEqual(['parseConfig'])
  expect(await suggest([{ file_path: 'src/config.ts', symbol: 'parseConfig' }])).toEqual(['LoginHandler.handle'])
  expect(await suggest([{ file_path: 'src/config.ts', symbol: 'parseConfig', test_type: 'unit' }])).toEqual([
    'LoginHandler.handle',
  ])
  expect(await suggest([{ file_path: 'src/config.ts', symbol: 'parseConfig', test_type: 'e2e' }])).toEqual([
    'parseConfig',
  ])
})
