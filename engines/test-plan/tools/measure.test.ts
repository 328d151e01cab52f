import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { transformSync } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { toolsDirectory } from '../placeholders.ts'

const made: string[] = []
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })))

function folder(files: Record<string, string> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'assay-measure-'))
  made.push(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

function run(cwd: string, argv: string[], environment: Record<string, string> = {}) {
  const [program = '', ...args] = argv
  return spawnSync(program, args, { cwd, encoding: 'utf8', env: { PATH: process.env.PATH ?? '', ...environment } })
}

/** Runs a command with coverage. */
function measured(root: string, ...argv: string[]) {
  const report = join(folder(), 'lcov.info')
  const ended = run(root, ['node', join(toolsDirectory, 'v8-coverage.mjs'), report, root, ...argv])
  return { ...ended, files: filesOf(readOrNothing(report), root) }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The counts of lines, and the counts of branches and functions by line, of each file. */
function filesOf(lcov: string, root: string) {
  const sections = lcov.split('end_of_record\n').filter((text) => text !== '')
  return Object.fromEntries(
    sections.map((text) => {
      const path = /^SF:(.*)$/m.exec(text)?.[1] ?? ''
      const lines = [...text.matchAll(/^DA:(\d+),(\d+)$/gm)].map(
        ([, line, count]) => `${line}:${Number(count) > 0 ? 1 : 0}`,
      )
      const branches = [...text.matchAll(/^BRDA:(\d+),\d+,0,(\d+)$/gm)].map(
        ([, line, count]) => `${line}:${Number(count) > 0 ? 1 : 0}`,
      )
      const counts = new Map([...text.matchAll(/^FNDA:(\d+),(.*)$/gm)].map(([, count, name]) => [name, Number(count)]))
      const functions = [...text.matchAll(/^FN:(\d+),(.*)$/gm)].map(
        ([, line, name]) => `${line}:${(counts.get(name) ?? NaN) > 0 ? 1 : 0}`,
      )
      return [
        path.slice(root.length + 1),
        { lines: lines.join(' '), branches: branches.join(' '), functions: functions.join(' ') },
      ]
    }),
  )
}

const sum = `// Adds.
export function sum(a, b) {
  if (a > 1) {
    return 7
  }

  return a + b
}

/**
 * Never called.
 */
export class Never {
  get() {
    return 1
  }
}
`

test('measures the lines and branches of JavaScript, without comments, empty lines and brackets', () => {
  const root = folder({
    'package.json': '{"type":"module"}',
    'sum.js': sum,
    'main.js': "import { sum } from './sum.js'\nsum(1, 1)\n",
  })
  const { files, status } = measured(root, 'node', 'main.js')
  expect(status).toBe(0)
  expect(files['sum.js']).toEqual({ lines: '2:1 3:1 4:0 7:1 13:1 14:0 15:0', branches: '3:0', functions: '2:1 14:0' })
})

test('names the functions of a file, and which of them were called', () => {
  const code = `export const twice = (a) => a * 2
export function next(a) { return a + 1 }
export class Box {
  size = 1
  half() { return this.size / 2 }
  get third() { return this.size / 3 }
  fourth = async () => this.size / 4
}
export const each = (all) =>
  all.map((one) => one + 1)
`
  const compiled = transformSync(code, { sourcefile: '../src/f.js', sourcemap: 'inline', format: 'cjs' }).code
  const root = folder({
    'package.json': '{"type":"module"}',
    'f.js': code,
    'src/f.js': code,
    'dist/f.cjs': compiled,
    'main.js': `import * as plain from './f.js'
import mapped from './dist/f.cjs'
for (const { Box, each, next } of [plain, mapped]) { next(1); new Box().half(); each([]) }
`,
  })
  const { files } = measured(root, 'node', 'main.js')
  expect(files['f.js']?.functions).toBe('1:0 2:1 5:1 6:0 7:0 9:1 10:0')
  expect(files['src/f.js']?.functions).toBe(files['f.js']?.functions)
})

test('adds up what several processes run', () => {
  const root = folder({
    'package.json': '{"type":"module"}',
    'sum.js': sum,
    'main.js':
      "import { execFileSync } from 'node:child_process'\nimport { sum } from './sum.js'\nsum(1, 1)\nexecFileSync('node', ['other.js'])\n",
    'other.js': "import { Never, sum } from './sum.js'\nsum(2, 1)\nnew Never().get()\n",
  })
  // The branch was taken in one of them. What follows it is counted by V8, but no branch.
  expect(measured(root, 'node', 'main.js').files['sum.js']).toEqual({
    lines: '2:1 3:1 4:1 7:1 13:1 14:1 15:1',
    branches: '3:1',
    functions: '2:1 14:1',
  })
})

test('counts as branches what the code chooses, not what follows a statement that may leave', () => {
  const code = [
    'export function f(x) {',
    "  if (x > 3) throw new Error('a')",
    '  const y = x || 3',
    '  if (y) { g(1) } else { g(2) }',
    '  for (const a of []) { g(a) }',
    '  try { g(x) } catch (e) { g(4) } finally { g(5) }',
    '  switch (x) { case 1: g(1); break; case 2: return 3; default: g(9) }',
    '  const z = x ? 1 : 2',
    '  if (x)',
    '    return z',
    '  return [...h()]',
    '}',
    'function g(x) { return x }',
    'function* h() { yield 1; yield 2 }',
  ]
  const source = code.join('\n')
  const compiled = transformSync(source, { sourcefile: '../src/f.js', sourcemap: 'inline' }).code
  const use = (path: string) => `import { f } from './${path}'\nf(1)\nf(1)\nf(2)\ntry { f(5) } catch {}\n`
  const taken = '2:1 3:0 4:1 4:0 5:0 6:0 7:1 7:1 7:0 8:0 10:1'
  const plain = folder({ 'package.json': '{"type":"module"}', 'f.js': source, 'main.js': use('f.js') })
  expect(measured(plain, 'node', 'main.js').files['f.js']?.branches).toBe(taken)
  const mapped = folder({
    'package.json': '{"type":"module"}',
    'src/f.js': source,
    'dist/f.js': compiled,
    'main.js': use('dist/f.js'),
  })
  expect(measured(mapped, 'node', 'main.js').files['src/f.js']?.branches).toBe(taken)
})

test('measures TypeScript without its types, and sources of code that was compiled', () => {
  const map = { version: 3, sources: ['../src/twice.ts'], names: [], mappings: 'AACA,SAAS,MAAM;AACb' }
  const root = folder({
    'package.json': '{"type":"module"}',
    'sum.ts':
      '\uFEFFinterface Options {\n  a: number\n}\nexport const sum = (a: number, options?: Options): number => {\n  if (options) {\n    return 1\n  }\n  return a\n}\n',
    'src/twice.ts': '// Twice.\nfunction twice(a: number) {\n  return 2 * a\n}\n',
    'dist/twice.js': `function twice(a) {\nreturn 2 * a\n}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`,
    'main.ts': "import { sum } from './sum.ts'\nimport './dist/twice.js'\nsum(1)\n",
  })
  const { files } = measured(root, 'node', 'main.ts')
  expect(files['sum.ts']).toMatchObject({ branches: '5:0' })
  expect(files['sum.ts']?.lines).toContain('5:1 6:0 8:1')
  expect(files['src/twice.ts']).toEqual({ lines: '2:0 3:0', branches: '', functions: '2:0' })
  expect(files['dist/twice.js']).toBeUndefined()
})

test('keeps the branches of two scripts of one source apart', () => {
  // Both come from src/a.js line by line, and the first has a longer line before the branch.
  const map = { version: 3, sources: ['../src/a.js'], names: [], mappings: 'AAAA;AACA;AACA;AACA;AACA' }
  const made = (head: string) =>
    `${head}\nif (a) {\n/**/ never() }\nreturn 1\n}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`
  const root = folder({
    'src/a.js': 'export function f(a) {\nif (a) {\nnever() }\nreturn 1\n}\n',
    'dist/a.mjs': made('export function f(a) {'),
    'dist/a.cjs': made('exports.f = function f(a) { const here = __filename;'),
    'main.mjs': "import { f } from './dist/a.mjs'\nimport c from './dist/a.cjs'\nf(0)\nc.f(0)\n",
  })
  const { files } = measured(root, 'node', 'main.mjs')
  expect(files['src/a.js']).toEqual({ lines: '1:1 2:1 3:0 4:1', branches: '3:0', functions: '1:1' })
})

test('converts a large script in linear time', () => {
  const convert = (count: number) => {
    const root = folder({ 'src/a.js': 'if (a) b()\n'.repeat(count) })
    const raw = folder()
    const block = (at: number) => ({ startOffset: at * 11 + 7, endOffset: at * 11 + 10, count: 0 })
    const ranges = [
      { startOffset: 0, endOffset: count * 11, count: 1 },
      ...Array.from({ length: count }, (_, at) => block(at)),
    ]
    const map = { version: 3, sources: ['../src/a.js'], names: [], mappings: `AAAA${';AACA'.repeat(count - 1)}` }
    const url = `file://${root}/dist/a.js`
    writeFileSync(
      join(raw, 'a.json'),
      JSON.stringify({
        result: [{ url, functions: [{ ranges, isBlockCoverage: true }] }],
        'source-map-cache': { [url]: { data: map, lineLengths: Array.from({ length: count }, () => 10) } },
      }),
    )
    const program = `import { writeLcov } from ${JSON.stringify(join(toolsDirectory, 'v8-lcov.mjs'))}
      const before = process.cpuUsage().user
      writeLcov(${JSON.stringify(raw)}, ${JSON.stringify(root)}, 'lcov.info')
      console.log(process.cpuUsage().user - before)`
    const { stdout } = run(raw, ['node', '--input-type=module', '-e', program])
    expect(readOrNothing(join(raw, 'lcov.info'))).toContain(`DA:${count},1`)
    return Number(stdout)
  }
  // Sixteen times the time of a script of a quarter of the size is quadratic.
  expect(convert(40_000) / convert(10_000)).toBeLessThan(10)
})

test('leaves tests, packages and files outside of the repository out', () => {
  const outside = folder({ 'far.js': 'module.exports = 1\n' })
  const root = folder({
    'main.js': `require('./test/a.js'); require('./b.test.js'); require('c'); require('${outside}/far.js')\n`,
    'test/a.js': '1\n',
    'b.test.js': '1\n',
    'node_modules/c/index.js': '1\n',
  })
  expect(Object.keys(measured(root, 'node', 'main.js').files)).toEqual(['main.js'])
})

test.for([
  [['node', '-e', 'process.exit(3)'], { status: 3, signal: null }],
  [['sh', '-c', 'kill -TERM $$'], { status: null, signal: 'SIGTERM' }],
  [['no-such-program'], { status: 127, signal: null }],
] as const)('ends as the command does: %j', ([argv, end]) => {
  const { status, signal } = measured(folder(), ...argv)
  expect({ status, signal }).toEqual(end)
})

test('keeps to what can be read where a process left something else', () => {
  const root = folder({
    'main.js': "require('node:fs').writeFileSync(process.env.NODE_V8_COVERAGE + '/x.json', '{')\n",
  })
  const { status, stderr, files } = measured(root, 'node', 'main.js')
  expect(status).toBe(0)
  expect(stderr).toContain('# Coverage: the coverage of a process is incomplete.')
  expect(Object.keys(files)).toEqual(['main.js'])
})

test('lets a program that prints TAP write a report, wherever its output goes', () => {
  const root = folder({
    'checks.js': "console.log('TAP version 13\\nok 1 - adds\\nnot ok 2 - fails\\n1..2')\nprocess.exitCode = 1\n",
    'build.js': "console.log('built')\n",
  })
  const output = folder()
  const environment = { NODE_OPTIONS: `--require ${join(toolsDirectory, 'report-tests.cjs')}`, ASSAY_REPORTS: output }
  const { status, stdout } = run(root, ['sh', '-c', 'node build.js && node checks.js | grep ok'], environment)
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'built\nok 1 - adds\nnot ok 2 - fails\n' })
  const reports = readdirSync(output)
  expect(reports).toHaveLength(1)
  expect(readFileSync(join(output, reports[0] ?? ''), 'utf8')).toBe(
    'TAP version 13\nok 1 - adds\nnot ok 2 - fails\n1..2\n',
  )
})

test('lets Node’s runner write a report in a command of the project, and run only the wanted files', () => {
  const passing = "require('node:test').test('passes', () => {})\n"
  const root = folder({ 'a.test.js': passing, 'b.test.js': passing.replace('passes', 'also') })
  const output = folder()
  const options = [
    `--require ${join(toolsDirectory, 'report-tests.cjs')}`,
    `--test-reporter=${join(toolsDirectory, 'node-reporter.mjs')} --test-reporter-destination=stdout`,
  ]
  const environment = {
    NODE_OPTIONS: options.join(' '),
    ASSAY_REPORTS: output,
    ASSAY_TESTS: JSON.stringify([join(root, 'b.test.js')]),
  }
  const { status } = run(root, ['sh', '-c', 'node --test a.test.js b.test.js'], environment)
  expect(status).toBe(0)
  const [report = ''] = readdirSync(output)
  expect(readFileSync(join(output, report), 'utf8')).toMatch(/^(?![^]*"passes")[^]*"also"/)
})

/** A program in place of a runner. It starts the command of its first argument, and prints the other arguments. */
const runner = `const [command, ...rest] = process.argv.slice(2)
const { stdout } = command === '-' ? { stdout: '' } : require('node:child_process').spawnSync('sh', ['-c', command], { encoding: 'utf8' })
console.log(JSON.stringify(rest))
console.log(stdout)
`
const fixtures = {
  'node_modules/mocha/bin/mocha.js': runner,
  'node_modules/jest/bin/jest.js': runner,
  'tap.js': "console.log('TAP version 13\\nnot ok 1 - fails on purpose')\n",
  'options.js': 'console.log(process.env.NODE_OPTIONS)\n',
}

function reporting(command: string) {
  const output = folder()
  const ended = run(folder(fixtures), ['sh', '-c', command], {
    NODE_OPTIONS: `--no-warnings --require "${join(toolsDirectory, 'report-tests.cjs')}"`,
    ASSAY_REPORTS: output,
  })
  return { lines: ended.stdout.split('\n').filter((line) => line !== ''), reports: readdirSync(output) }
}

test('leaves alone what the tests themselves start', () => {
  const inner = reporting("node node_modules/mocha/bin/mocha.js 'node node_modules/mocha/bin/mocha.js - inner' outer")
  expect(inner.lines).toEqual([expect.stringMatching(/^\["outer","--reporter".*mocha-reporter/), '["inner"]'])
  expect(reporting("node node_modules/jest/bin/jest.js 'node tap.js'").reports).toEqual([])
  expect(reporting("node node_modules/jest/bin/jest.js 'node options.js'").lines[1]).toBe('--no-warnings')
})

test.for([
  ['mocha', '--reporter json'],
  ['mocha', '-R=xunit'],
  ['jest', '--json'],
  ['jest', '--clearCache'],
  ['mocha', '--version'],
])('adds no report to %s %s', ([name, options = '']) => {
  const { lines } = reporting(`node node_modules/${name}/bin/${name}.js - ${options}`)
  expect(lines).toEqual([JSON.stringify(options.split(' '))])
})

const vitest = join(import.meta.dirname, '../../../node_modules')

test('measures Vitest without its packages for coverage', () => {
  const root = folder({
    'package.json': '{"type":"module"}',
    'sum.ts': 'export function sum(a: number): number {\n  if (a > 1) {\n    return 7\n  }\n  return a\n}\n',
    'a.test.ts':
      "import { expect, test } from 'vitest'\nimport { sum } from './sum'\ntest('a', () => expect(sum(1)).toBe(1))\n",
    'b.test.ts':
      "import { expect, test } from 'vitest'\nimport { sum } from './sum'\ntest('b', () => expect(sum(1)).toBe(2))\n",
  })
  symlinkSync(vitest, join(root, 'node_modules'))
  const report = join(folder(), 'lcov.info')
  const options = ['--coverage.enabled', '--coverage.provider=custom', '--coverage.reportOnFailure']
  const provider = `--coverage.customProviderModule=${join(toolsDirectory, 'vitest-coverage.mjs')}`
  const { status, stderr } = run(root, ['node', join(vitest, 'vitest/vitest.mjs'), 'run', ...options, provider], {
    ASSAY_ROOT: root,
    ASSAY_LCOV: report,
  })
  expect(status, stderr).toBe(1)
  expect(filesOf(readOrNothing(report), root)['sum.ts']).toEqual({
    lines: '1:1 2:1 3:0 5:1',
    branches: '2:0',
    functions: '1:1',
  })
})

const hasRuby = spawnSync('ruby', ['-e', "require 'coverage'"]).status === 0

test.runIf(hasRuby)('measures Ruby with its own library', () => {
  const root = folder({ 'lib/sums.rb': 'def add(a)\n  return 0 if a == 5\n  a\nend\n\ndef never\n  1\nend\n' })
  const output = folder()
  const { status } = run(root, ['ruby', '-Ilib', '-e', "require 'sums'; add(1); exit 4"], {
    RUBYOPT: `-r${join(toolsDirectory, 'ruby/assay_coverage.rb')}`,
    ASSAY_ROOT: root,
    ASSAY_COVERAGE: output,
  })
  expect(status).toBe(4)
  const [report = ''] = readdirSync(output)
  const lcov = readFileSync(join(output, report), 'utf8')
  expect(lcov).toMatch(/BRDA:2,0,0,0\nBRDA:2,0,1,1\n/)
  expect(filesOf(lcov, root)['lib/sums.rb']?.lines).toBe('1:1 2:1 3:1 6:1 7:0')
})

test.runIf(hasRuby).for([
  ['Coverage.start', '{"a.rb"=>[1, 1]}'],
  ['Coverage.start(lines: true) unless Coverage.running?', '{"a.rb"=>{:lines=>[1, 1]}}'],
] as const)('leaves Ruby’s library to a project that measures itself: %s', ([start, result]) => {
  const program = `require 'coverage'; ${start}; require './a'; puts Coverage.result.transform_keys { |path| File.basename(path) }`
  const root = folder({ 'a.rb': 'b = 1\nb + 1\n' })
  const output = folder()
  const environment = {
    RUBYOPT: `-r${join(toolsDirectory, 'ruby/assay_coverage.rb')}`,
    ASSAY_ROOT: root,
    ASSAY_COVERAGE: output,
  }
  const { status, stdout, stderr } = run(root, ['ruby', '-e', program], environment)
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${result}\n` })
  expect(stderr).toContain('# No coverage: the tests use Coverage themselves.')
  expect(readdirSync(output)).toEqual([])
})
