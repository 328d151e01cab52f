import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { linesReached } from '../../../engines/verdicts/coverage-gain.ts'
import { mutantOutcome, runFacts } from '../../../engines/verdicts/run-facts.ts'
import type { OutcomeCase, RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { ownCases, testTitle } from '../../../engines/verdicts/own-tests.ts'
import { aloneStep, runningTestsFile, stacksFile, suiteStep, watchedStep } from './steps.ts'
import { type Lab, openLab } from './testing.ts'

const has = (...command: [string, ...string[]]) => spawnSync(command[0], command.slice(1)).status === 0

const nothing: RunOutcome = {
  execution: {
    reason: 'ok',
    exitCode: 0,
    signal: null,
    message: null,
    usage: { wallMs: 1, cpuMs: null, peakMemoryBytes: null },
  },
  cases: [],
  totals: { totalTests: 0, passedTests: 0, failedTests: 0, skippedTests: 0, flakyTests: 0 },
  problem: null,
  coverage: null,
  hang: null,
  output: '',
  warnings: [],
}

const unmeasured = { coverage: false, seed: '7' }

async function alone(lab: Lab, test: TestFile, how: Parameters<typeof aloneStep>[2] = unmeasured, wallMs = 30_000) {
  const confined = aloneStep(lab.part, test, how)
  if (!('step' in confined)) throw new Error(confined.unsupported)
  const outcome = await lab.run(confined.step, test, { wallMs })
  return { outcome, own: ownCases(lab.part, test, outcome, { alone: true }) }
}

async function among(lab: Lab, test: TestFile, known: Iterable<string> = []) {
  const outcome = await lab.run(suiteStep(lab.part, unmeasured), test)
  return { outcome, own: ownCases(lab.part, test, outcome, { alone: false, known: new Set(known) }) }
}

/** Runs a test that never ends as the first run of a verification does. */
async function watched(lab: Lab, test: TestFile, shows: RegExp) {
  const confined = watchedStep(lab.part, test, 1_000)
  if (!('step' in confined)) throw new Error(confined.unsupported)
  const isEnough = (printed: string, output: string) =>
    [printed, ...[stacksFile, runningTestsFile].map((name) => readIfThere(join(output, name)))].some((trace) =>
      shows.test(trace),
    )
  const outcome = await lab.run(confined.step, test, { wallMs: 30_000, isEnough })
  return factsOf({ outcome, own: ownCases(lab.part, test, outcome, { alone: true }) }).run
}

const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

const brief = (own: ReturnType<typeof ownCases>) =>
  own.map((found) => `${testTitle(found)}: ${found.kind ?? found.status}`).toSorted()

const factsOf = ({ outcome, own }: { outcome: RunOutcome; own: ReturnType<typeof ownCases> }) =>
  runFacts(outcome, { kind: 'alone', seed: null, own, knownFailures: new Set() })

describe('vitest', () => {
  const files = {
    'package.json': JSON.stringify({
      type: 'module',
      scripts: { test: 'vitest run' },
      devDependencies: { vitest: '5' },
    }),
    'package-lock.json': '{}',
    'vitest.config.ts': "export default { test: { include: ['test/**/*.test.ts'] } }",
    'src/cart.ts': 'export const total = (prices: number[]) => prices.reduce((sum, price) => sum + price, 0)\n',
    'test/old.test.ts': "import { test } from 'vitest'\ntest('old', () => {})\n",
  }
  const test1 = (body: string, path = 'test/new/cart.test.ts'): TestFile => ({
    path,
    code: `import { expect, test } from 'vitest'\nimport { total } from '../../src/cart.ts'\n${body}\n`,
  })
  const body =
    "test('adds', () => { expect(total([1, 2])).toBe(3) })\ntest('lies', () => { expect(total([1])).toBe(2) })"

  test('runs a new file alone, and distinguishes its tests from others', async () => {
    await using lab = await openLab(files)
    const first = await alone(lab, test1(body))
    expect(brief(first.own)).toEqual(['adds: passed', 'lies: assertion'])
    expect(first.outcome.totals.totalTests).toBe(2)
    expect(factsOf(first)).toMatchObject({ collected: 2, problem: null, run: { outcome: 'failed' } })
    expect(factsOf(first).run.failures).toMatchObject([
      { test: 'lies', kind: 'assertion', file: 'test/new/cart.test.ts' },
    ])
    const second = await among(lab, test1(body))
    expect(brief(second.own)).toEqual(['adds: passed', 'lies: assertion'])
    expect(second.outcome.totals.totalTests).toBe(3)
  })

  test('reports no test in a folder that the project does not search', async () => {
    await using lab = await openLab(files)
    const elsewhere = await alone(lab, test1(body, 'src/cart.spec.ts'))
    expect(elsewhere.own).toEqual([])
    expect(factsOf(elsewhere)).toMatchObject({ collected: 0, run: { outcome: 'not_built' } })
    expect(factsOf(elsewhere).words).toMatch(/No test files found.*test\/\*\*\/\*\.test\.ts/s)
  })

  test('names a test that never ends, and the line', async () => {
    await using lab = await openLab(files)
    const run = await watched(
      lab,
      test1("test('adds', () => {})\ntest('waits', () => {\n  while (total([1]) > 0);\n})"),
      /cart\.test\.ts:5:/,
    )
    expect(run).toMatchObject({ outcome: 'timeout', failures: [{ test: 'waits', kind: 'timeout' }] })
    expect(run.failures[0]?.message).toContain('(test/new/cart.test.ts:5)')
  })

  test('reports a file that cannot be loaded as not built', async () => {
    await using lab = await openLab(files)
    const broken = await alone(lab, { path: 'test/broken.test.ts', code: "import '../src/not-there.ts'" })
    expect(factsOf(broken)).toMatchObject({ collected: 0, run: { outcome: 'not_built' } })
    expect(mutantOutcome(broken.outcome, broken.own)).toBe('invalid')
  })

  test('reports that an endless run was stopped', async () => {
    await using lab = await openLab(files)
    const endless = await alone(lab, test1("test('waits', () => { while (total([1]) > 0); })"), unmeasured, 1_000)
    expect(factsOf(endless).run.outcome).toBe('timeout')
    expect(mutantOutcome(endless.outcome, endless.own)).toBe('timed_out')
  })
})

describe('node:test names a test that never ends, and the line', () => {
  const files = {
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'src/wait.js': 'export function wait(ready) {\n  while (!ready()) {\n    ready()\n  }\n}\n',
    'test/old.test.js': "import test from 'node:test'\ntest('old', () => {})\n",
  }
  const path = 'test/wait.test.js'

  test('in an endless loop of the code', async () => {
    await using lab = await openLab(files)
    const code =
      "import test from 'node:test'\nimport { wait } from '../src/wait.js'\ntest('passes', () => {})\ntest('waits', () => {\n  wait(() => false)\n})\n"
    const run = await watched(lab, { path, code }, /wait\.test\.js:5:/)
    expect(run).toMatchObject({ outcome: 'timeout', failures: [{ test: 'waits', kind: 'timeout' }] })
    const [failure] = run.failures
    // The loop was interrupted in one of the two functions.
    expect([`src/wait.js:${failure?.line}`, `${path}:5`]).toContain(`${failure?.file}:${failure?.line}`)
    expect(failure?.message).toMatch(/wait \(src\/wait\.js:[23]\)\n.*\(test\/wait\.test\.js:5\)/)
  })

  test('waiting for a promise', async () => {
    await using lab = await openLab(files)
    const code =
      "import test from 'node:test'\ntest('passes', () => {})\ntest('waits', async () => {\n  setTimeout(() => {}, 60_000)\n  await new Promise(() => {})\n})\n"
    expect(await watched(lab, { path, code }, /waits/)).toMatchObject({
      outcome: 'timeout',
      failures: [{ test: 'waits', kind: 'timeout', file: path, line: 3 }],
    })
  })
})

test('node:test: measures which lines and branches one file reaches', async () => {
  await using lab = await openLab({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'src/sign.js':
      "export function sign(n) {\n  if (n < 0) {\n    return 'minus'\n  }\n  return n > 0 ? 'plus' : 'zero'\n}\n",
    'test/old.test.js': "import test from 'node:test'\ntest('old', () => {})\n",
  })
  const file = {
    path: 'test/sign.test.js',
    code: "import test from 'node:test'\nimport assert from 'node:assert'\nimport { sign } from '../src/sign.js'\ntest('plus', () => { assert.equal(sign(1), 'plus'); assert.equal(sign(0), 'zero') })\n",
  }
  const measured = await alone(lab, file, { coverage: true })
  expect(brief(measured.own)).toEqual(['plus: passed'])
  const { coverage } = measured.outcome
  expect(coverage && linesReached(coverage, { path: 'src/sign.js' })).toEqual([
    [1, 2],
    [5, 5],
  ])
  expect(coverage?.files['src/sign.js']?.branches).toBe('5:2')
  expect((await alone(lab, file)).outcome.coverage).toBeNull()
  const empty = await alone(lab, { path: 'test/empty.test.js', code: 'export {}' })
  expect(factsOf(empty)).toMatchObject({ collected: 0, run: { outcome: 'not_built' } })
})

describe('tells which functions no test calls, although the tests load them', () => {
  const source = `export const twice = (a) => a * 2
export function next(a) { return a + 1 }
export function grown(a, by = 3) {
  return a + by
}
export class Box {
  constructor(size) { this.size = size }
  half() { return this.size / 2 }
  third = () => this.size / 3
}
export const boxes = {
  small: () => new Box(1),
  large(size) { return new Box(size * 10) },
}
export const each = (all) => all.map((one) => one + 1)
`
  const body = "test('sums', () => { new Box(1); each([]); assert.equal(next(1), 2) })\n"
  const test1 = (imports: string) =>
    `import assert from 'node:assert'\n${imports}import { Box, each, next } from '../src/sums.js'\n${body}`

  test.each([
    ['node --test', '24', test1("import test from 'node:test'\n"), source],
    ['vitest run', '5', test1("import { test } from 'vitest'\n"), source],
    [
      'jest',
      '30',
      `const assert = require('node:assert')\nconst { Box, each, next } = require('../src/sums.js')\n${body}`,
      `${source.replaceAll('export ', '')}module.exports = { Box, each, next }\n`,
    ],
  ])('%s', async (script, version, code, sums) => {
    const [runner = ''] = script.split(' ')
    await using lab = await openLab({
      'package.json': JSON.stringify({
        type: runner === 'jest' ? 'commonjs' : 'module',
        scripts: { test: script },
        devDependencies: { [runner]: version },
      }),
      'package-lock.json': '{}',
      'src/sums.js': sums,
      'test/old.test.js': '',
    })
    const { outcome, own } = await alone(lab, { path: 'test/sums.test.js', code }, { coverage: true })
    expect(brief(own), outcome.output).toEqual(['sums: passed'])
    expect(outcome.coverage?.files['src/sums.js']?.uncalled).toBe('1,3,8-9,12-13')
  })
})

test('counts cases without a file as tests of the file only if they ran alone', async () => {
  const found = (name: string, file: string | null): OutcomeCase => ({
    suite: 'cart',
    name,
    file,
    status: 'passed',
    durationMs: 1,
    message: null,
    kind: null,
    place: null,
    testLines: [],
  })
  const outcome = { ...nothing, cases: [found('adds', null), found('other', null), found('far', 'test/far.js')] }
  await using lab = await openLab({
    'package.json': '{"scripts":{"test":"tape test/*.js"}}',
    'package-lock.json': '{}',
  })
  const file = { path: 'test/cart.js', code: '' }
  const names = (how: Parameters<typeof ownCases>[3]) => ownCases(lab.part, file, outcome, how).map(({ name }) => name)
  expect(names({ alone: true })).toEqual(['adds', 'other'])
  expect(names({ alone: false, known: new Set(['cart > adds']) })).toEqual(['adds'])
})

describe.runIf(has('python3', '-m', 'pytest', '--version'))('pytest', () => {
  test('runs a new file alone, and distinguishes errors of fixtures from errors of the tested code', async () => {
    await using lab = await openLab({
      'requirements-dev.txt': 'pytest\n',
      'shop/__init__.py': '',
      'shop/cart.py':
        'def total(prices):\n    if not prices:\n        raise ValueError("nothing to add")\n    return sum(prices)\n',
      'conftest.py': '',
      'tests/test_old.py': 'def test_old():\n    assert True\n',
    })
    const file = {
      path: 'tests/test_cart.py',
      code: 'from shop.cart import total\n\ndef test_adds():\n    assert total([1, 2]) == 3\n\ndef test_lies():\n    assert total([1]) == 2\n\ndef test_throws():\n    total([])\n\ndef test_needs(database):\n    pass\n',
    }
    const seen = await alone(lab, file)
    const titles = ['adds: passed', 'lies: assertion', 'needs: not_built', 'throws: crash_in_code']
    expect(brief(seen.own)).toEqual(titles.map((title) => `tests.test_cart > test_${title}`))
    const broken = await alone(lab, { path: 'tests/test_broken.py', code: 'def test_a(:\n' })
    expect(factsOf(broken)).toMatchObject({ collected: 0, run: { outcome: 'not_built' } })
  })
})

test.runIf(has('python3', '-m', 'pytest', '--version'))(
  'pytest names a test that never ends, and the line',
  async () => {
    await using lab = await openLab({
      'requirements-dev.txt': 'pytest\n',
      'tests/test_old.py': 'def test_old():\n    pass\n',
    })
    const code = 'import time\n\ndef wait():\n    time.sleep(60)\n\ndef test_waits():\n    wait()\n'
    const run = await watched(lab, { path: 'tests/test_cart.py', code }, /line 7 in test_waits/)
    expect(run).toMatchObject({
      outcome: 'timeout',
      failures: [{ test: 'test_waits', kind: 'timeout', file: 'tests/test_cart.py', line: 4 }],
    })
    expect(run.failures[0]?.message).toMatch(/wait \(tests\/test_cart.py:4\)\ntest_waits \(tests\/test_cart.py:7\)/)
  },
)

describe.runIf(has('python3', '--version'))('unittest', () => {
  const files = {
    'cart.py': 'def total(prices):\n    return sum(prices)\n',
    'tests/__init__.py': '',
    'tests/test_old.py': 'import unittest\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        pass\n',
  }
  const names = Array.from({ length: 8 }, (_, index) => `test_${index}`)
  const file = {
    path: 'tests/test_cart.py',
    code: `import unittest\nfrom cart import total\n\nclass Cart(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        cls.once = total([1])\n\n${names.map((name) => `    def ${name}(self):\n        self.assertEqual(self.once, ${name === 'test_7' ? 2 : 1})\n`).join('\n')}`,
  }

  test('runs a new file alone, in the order of its seed', async () => {
    await using lab = await openLab(files)
    const orderOf = async (seed: string | null) =>
      (await alone(lab, file, { coverage: false, seed })).own.map(({ name }) => name)
    const [plain, seven, again] = [await orderOf(null), await orderOf('7'), await orderOf('7')]
    expect(plain).toEqual(names)
    expect(seven.toSorted()).toEqual(names)
    expect(seven).not.toEqual(names)
    expect(again).toEqual(seven)
  })

  test('names a test that never ends, and the line', async () => {
    await using lab = await openLab(files)
    const code =
      'import time\nimport unittest\n\nclass Cart(unittest.TestCase):\n    def test_waits(self):\n        time.sleep(60)\n'
    expect(await watched(lab, { path: 'tests/test_cart.py', code }, /line 6 in test_waits/)).toMatchObject({
      outcome: 'timeout',
      failures: [{ test: 'test_waits', kind: 'timeout', file: 'tests/test_cart.py', line: 6 }],
    })
  })

  test('reads from the log why a file cannot be loaded', async () => {
    await using lab = await openLab(files)
    const broken = factsOf(await alone(lab, { path: 'tests/test_broken.py', code: 'def test_a(:\n' }))
    expect(broken).toMatchObject({ collected: 0, run: { outcome: 'not_built' }, problem: { code: 'no_report' } })
    expect(broken.words).toMatch(/SyntaxError/)
  })
})

describe.runIf(has('go', 'version'))('go', () => {
  const files = {
    'go.mod': 'module example.org/shop\n\ngo 1.19\n',
    'cart/cart.go':
      'package cart\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n',
    'cart/old_test.go': 'package cart\n\nimport "testing"\n\nfunc TestOld(t *testing.T) {}\n',
  }
  const goTest = (body: string): TestFile => ({
    path: 'cart/total_test.go',
    code: `package cart\n\nimport "testing"\n\n${body}\n`,
  })

  test('names a test that never ends, and the line', async () => {
    await using lab = await openLab(files)
    const run = await watched(
      lab,
      // It does not compute: Go may have no stack of what is running on a busy processor.
      goTest('func TestWaits(t *testing.T) {\n\t<-make(chan int, Total(nil))\n}'),
      /never seen/,
    )
    expect(run).toMatchObject({
      failures: [{ test: 'example.org/shop/cart > TestWaits', kind: 'timeout', file: 'cart/total_test.go', line: 6 }],
    })
  })

  test('runs only the tests of a new file in its package, and reports compiler errors', async () => {
    await using lab = await openLab(files)
    const file = goTest(
      'func TestTotal(t *testing.T) {\n\tt.Run("none", func(t *testing.T) { if Total(nil) != 0 { t.Error("not 0") } })\n\tt.Run("some", func(t *testing.T) { t.Fatalf("got %d", Total([]int{1})) })\n}',
    )
    const seen = await alone(lab, file, { coverage: true })
    const wanted = ['TestTotal/none: passed', 'TestTotal/some: assertion']
    expect(brief(seen.own)).toEqual(wanted.map((title) => `example.org/shop/cart > ${title}`))
    expect(seen.outcome.coverage && linesReached(seen.outcome.coverage, { path: 'cart/cart.go' })).toEqual([[3, 8]])
    const all = await among(lab, file, seen.own.map(testTitle))
    expect(all.own).toHaveLength(2)
    expect(all.outcome.totals.totalTests).toBe(3)
    const broken = await alone(lab, goTest('func TestTotal(t *testing.T) { notThere() }'))
    expect(factsOf(broken).run).toMatchObject({ outcome: 'not_built', failures: [{ kind: 'not_built' }] })
    expect(factsOf(broken).words).toMatch(/undefined: notThere/)
    expect(mutantOutcome(broken.outcome, broken.own)).toBe('invalid')
  })
})
