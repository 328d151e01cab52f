import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { CaseOutcome } from '../../../engines/analysis/schema.ts'
import type { TestType } from '../../../core/ai/schema.ts'
import { aCandidate, aCase, aFile, anAnalysis } from '../../testing/analysis.ts'
import { pythonErrors, syntaxErrors } from '../../testing/syntax.ts'
import { createMockProvider } from '../mock.ts'

const { signal } = new AbortController()

/** Source file, framework, and what a class and its method are called there. */
const ecosystems: [path: string, framework: string, type: string, method: string][] = [
  ...['vitest', 'jest', 'mocha', 'node:test', 'ava', 'jasmine', 'bun:test'].flatMap(
    (framework): [string, string, string, string][] =>
      ['src/store.ts', 'src/Store.tsx', 'src/store.mts', 'lib/store.js', 'lib/store.mjs', 'lib/store.cjs'].map(
        (path) => [path, framework, 'Store', 'Store.load'],
      ),
  ),
  ['src/shop/store.py', 'pytest', 'Store', 'Store.load'],
  ['src/shop/my-store.py', 'unittest', 'Store', 'Store.load'],
  ['shop/__init__.py', 'unittest', 'Store', 'Store.load'],
  ['internal/store/store.go', 'go test', 'Store', 'Store.Load'],
  ['main.go', 'go test', 'Store', 'Store.Load'],
  ['src/main/java/com/acme/Store.java', 'junit', 'Store', 'Store.load'],
  ['Store.java', 'junit4', 'Store', 'Store.load'],
  ['src/com/acme/Store.java', 'testng', 'Store', 'Store.load'],
  ['lib/shop/store.rb', 'rspec', 'Shop::Store', 'Shop::Store#load?'],
  ['lib/shop/store.rb', 'test-unit', 'Shop::Store', 'Shop::Store#load'],
  ['app/models/store.rb', 'minitest', 'Shop::Store', 'Shop::Store.load!'],
  ['src/store.rs', 'cargo test', 'Store', 'Store::load'],
  ['app/Models/Store.php', 'phpunit', 'Store', 'Store.load'],
  ['src/Store.php', 'pest', 'Acme\\Store', 'Acme\\Store::load'],
  ['src/Shop.Web/Store.cs', 'xunit', 'Store', 'Store.Load'],
  ['Store.cs', 'nunit', 'Store', 'Store.Load'],
  ['src/Shop/Store.cs', 'mstest', 'Store', 'Store.Load'],
]

const types: TestType[] = ['unit', 'integration', 'e2e']

const outcomes = CaseOutcome.options.map((outcome, index) =>
  aCase({ condition: "items[0] === '\\n' || a<b && `${c}` ?? /x*/.test(d)", outcome, result: 'null', line: index + 1 }),
)

async function examplesOf(path: string, framework: string, type: string, method: string) {
  const testCandidates = [
    aCandidate({ path, symbol: 'load', kind: 'function', cases: outcomes }),
    aCandidate({ path, symbol: type, kind: 'class', cases: outcomes }),
    aCandidate({ path, symbol: method, kind: 'method', cases: outcomes }),
    aCandidate({ path, symbol: 'not a name', kind: 'function' }),
    aCandidate({ path, symbol: 'class', kind: 'function' }),
    aCandidate({ path, symbol: 'result', kind: 'function' }),
    aCandidate({ path, symbol: 'test', kind: 'function' }),
    aCandidate({ path, symbol: 'default', kind: 'function' }),
  ]
  const mock = createMockProvider()
  const generated = await Promise.all(
    types.map((testType) => mock.generateTests({ ...anAnalysis({ testCandidates }) }, { testType, framework, signal })),
  )
  return generated.flatMap(({ tests }) => [
    ...(tests.unit_tests ?? []),
    ...(tests.integration_tests ?? []),
    ...(tests.e2e_tests ?? []),
  ])
}

test.each(ecosystems)('examples for %s in %s are valid code', async (...ecosystem) => {
  const examples = await examplesOf(...ecosystem)
  expect(examples).toHaveLength(24)
  for (const { file, code } of examples) expect([await syntaxErrors(file, code), code]).toEqual([[], code])
})

test("Python's own compiler agrees", async () => {
  const python = ecosystems.filter(([path]) => path.endsWith('.py'))
  const examples = (await Promise.all(python.map((ecosystem) => examplesOf(...ecosystem)))).flat()
  expect(pythonErrors(examples.map((example) => example.code)) ?? []).toEqual([])
})

test.each([
  ['app/login/page.tsx', 'playwright'],
  ['pages/[id]/index.tsx', 'cypress'],
])('a page gets a valid visit: %s in %s', async (path, framework) => {
  const examples = await examplesOf(path, framework, 'Page', 'Page.render')
  for (const { file, code } of examples) expect([await syntaxErrors(file, code), code]).toEqual([[], code])
  expect(examples.at(-1)?.code).toContain(framework === 'playwright' ? "page.goto('/login')" : "cy.visit('/[id]')")
})

test('the checks of this file can fail', async () => {
  expect(await syntaxErrors('a.ts', 'const a = 1; const a = 2')).not.toEqual([])
  expect(await syntaxErrors('a.go', 'package a\nfunc (')).not.toEqual([])
  expect(await syntaxErrors('a.java', 'class A { void a() { fail("x"; } }')).not.toEqual([])
  expect(await syntaxErrors('a.rb', 'def a')).not.toEqual([])
  expect(await syntaxErrors('a.rs', 'fn a() { todo!(" }')).not.toEqual([])
  expect(await syntaxErrors('a.php', '<?php class { }')).not.toEqual([])
  expect(await syntaxErrors('a.cs', 'class A { void () }')).not.toEqual([])
  expect(await syntaxErrors('a.py', 'def a(:\n  pass')).not.toEqual([])
  expect(pythonErrors(['# coding: rot13\nx = 1']) ?? ['no Python']).not.toEqual([])
})

test('a language without a writer gets an outline in comments', async () => {
  const examples = await examplesOf('app/Main.kt', 'junit', 'Main', 'Main.run')
  for (const { code } of examples)
    expect(code.split('\n').every((line) => line === '' || line.startsWith('// '))).toBe(true)
  const elixir = await examplesOf('lib/main.ex', 'exunit', 'Main', 'Main.run')
  expect(elixir[0]?.code).toMatch(/^(# .+\n)+$/)
})

const workspace = mkdtempSync(join(tmpdir(), 'assay-examples-'))
afterAll(() => rmSync(workspace, { recursive: true, force: true }))

const cases = [
  aCase({ condition: 'items.length === 0', outcome: 'early_return' }),
  aCase({ condition: 'price < 0', outcome: 'throws', result: 'Error: negative' }),
  aCase({ condition: 'price > 0', outcome: 'throws', result: 'Error: negative' }),
]

/** Writes a project with one source file and what the mock generates for it, and returns where. */
async function writeProject(name: string, source: { path: string; content: string }, framework: string) {
  const root = join(workspace, name)
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const { tests } = await createMockProvider().generateTests(
    {
      files: [aFile(source.path)],
      testCandidates: [
        aCandidate({ path: source.path, symbol: 'Cart.total', kind: 'method', cases }),
        aCandidate({ path: source.path, symbol: 'test', kind: 'function' }),
      ],
    },
    { testType: 'unit', framework, signal },
  )
  const [method, clash] = tests.unit_tests ?? []
  if (!method || !clash) throw new Error('nothing was generated')
  write('package.json', '{"type":"module"}')
  write(source.path, source.content)
  write(method.file, method.code)
  const other = method.file.replace(/(?=\.test\.|\.py$|_test\.rb$)/, '_clash')
  write(other, clash.code)
  return { root, files: [method.file, other] }
}

const script = {
  path: 'src/shop/cart.ts',
  content: "export class Cart { total() { return 'sum' } }\nexport const test = () => 'sum'\n",
}

/** Failures that reached the subject: what it returned follows the request to complete the test. */
const completeMe = /State the expected result here\. It returned: '?sum/g

test('an example for node:test runs as it is, reaches its subject and fails until it is completed', async () => {
  const { root, files } = await writeProject('node', script, 'node:test')
  const run = spawnSync(process.execPath, ['--test', '--test-isolation=none', '--test-reporter=tap', ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })
  expect(run.status).toBe(1)
  expect(run.stdout).toMatch(/# fail 4\n/)
  expect(run.stdout).toMatch(/# pass 0\n/)
  expect(run.stdout.match(completeMe)?.length).toBeGreaterThanOrEqual(2)
})

test('an example for vitest runs, reaches its subject and fails until it is completed', async () => {
  const { root } = await writeProject('vitest', script, 'vitest')
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'))
  const run = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--root', root, '--reporter=json', '--outputFile=report.json'],
    { cwd: root, env: { PATH: process.env['PATH'] } },
  )
  expect(run.status).toBe(1)
  const report = readFileSync(join(root, 'report.json'), 'utf8')
  expect(JSON.parse(report)).toMatchObject({ numFailedTests: 4, numTodoTests: 0, numPassedTests: 0 })
  expect(report.match(completeMe)?.length).toBeGreaterThanOrEqual(2)
})

test('an example for unittest runs, reaches its subject and fails until it is completed, if Python is installed', async () => {
  const content =
    "class Cart:\n    def total(self, value):\n        return 'sum'\n\n\ndef test(value):\n    return 'sum'\n"
  const { root, files } = await writeProject('python', { path: 'src/shop/cart.py', content }, 'unittest')
  const run = spawnSync('python3', ['-m', 'unittest', ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], PYTHONPATH: 'src' },
  })
  if (run.error) return
  expect(run.status).toBe(1)
  expect(run.stderr).toContain('FAILED (failures=4)')
  expect(run.stderr.match(completeMe)).toHaveLength(2)
})

test('an example for test-unit runs, reaches its subject and fails until it is completed, if Ruby is installed', async () => {
  const content = "class Cart\n  def self.total(value)\n    'sum'\n  end\nend\n\ndef test(value)\n  'sum'\nend\n"
  const { root, files } = await writeProject('ruby', { path: 'lib/shop/cart.rb', content }, 'test-unit')
  const load = ['-rtest-unit', '-e', 'ARGV.each { |file| require File.expand_path(file) }']
  const run = spawnSync('ruby', [...load, ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })
  if (run.error || run.stderr.includes('cannot load such file -- test-unit')) return
  expect(run.stdout).toContain('4 tests, 4 assertions, 4 failures, 0 errors')
  expect(run.stdout.match(/It returned: "sum"/g)).toHaveLength(2)
})
