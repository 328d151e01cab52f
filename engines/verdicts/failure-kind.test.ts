import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readReport } from '../reports/read-report.ts'
import { reportLimits, type TestCase } from '../reports/report.ts'
import { explainFailure, type Failure, isOutsideOfTests } from './failure-kind.ts'

const root = '/home/ci/shop'

/**
 * Reports that real runners wrote, in which the names of tests say how they fail: "timeout: never ends",
 * `test_crash_in_code__async`. Their folder was changed, and frames of libraries were left out.
 */
async function failuresOf(sample: string): Promise<TestCase[]> {
  const bytes = createReadStream(join(import.meta.dirname, 'samples', sample))
  const goModules = [{ path: 'example.org/lab', folder: '' }]
  const options = { roots: [root], limits: reportLimits, goModules, warn: () => {} }
  const { cases } = await readReport({ name: sample, bytes }, options)
  const failures: TestCase[] = []
  for await (const batch of cases) failures.push(...batch.filter(({ status }) => status === 'failed'))
  return failures
}

const explained = (framework: string, failed: Failure['test']) =>
  explainFailure({ framework, test: failed, testPath: failed.file, root, directory: '', files: new Set() })

const wanted = ({ name, suite, file }: TestCase): string | undefined =>
  isOutsideOfTests({ name, suite, file })
    ? 'not_built'
    : /(?:assertion|crash_in_code|crash_in_test|timeout|not_built)(?=: |__|$)/.exec(name)?.[0]

test.for([
  ['vitest', 'vitest.json', 36],
  ['vitest', 'vitest-3.json', 36],
  ['jest', 'jest.json', 36],
  ['mocha', 'mocha.json', 28],
  ['node:test', 'node-test.xml', 26],
  ['ava', 'ava.tap', 6],
  ['tape', 'tape.tap', 5],
  ['pytest', 'pytest.xml', 34],
  ['unittest', 'unittest.xml', 15],
  ['go test', 'go.json', 12],
] as const)('tells of every failure that %s reports why it failed', async ([framework, sample, count]) => {
  const failures = await failuresOf(sample)
  const named = failures.filter((failed) => wanted(failed) !== undefined)
  expect(named.map((failed) => `${failed.name}: ${explained(framework, failed).kind}`)).toEqual(
    named.map((failed) => `${failed.name}: ${wanted(failed)}`),
  )
  expect(named.length).toBe(count)
})

test('finds the place of code that Python cannot read, not that of the test which imports it', () => {
  const collected = {
    suite: '',
    name: 'tests.test_dates',
    file: 'tests/test_dates.py',
    message: "SyntaxError: expected ':'",
    stack: `tests/test_dates.py:1: in <module>
    from shop.dates import add
E     File "${root}/shop/dates.py", line 10
E       if x > 1
E               ^
E   SyntaxError: expected ':'`,
  }
  expect(explained('pytest', collected)).toMatchObject({
    kind: 'not_built',
    place: { file: 'shop/dates.py', line: 10 },
  })
})

test('takes a package of Go that does not compile for a test that is not built', async () => {
  const packages = (await failuresOf('go.json')).filter(({ name }) => name === 'package')
  expect(packages.map((failed) => [failed.suite, explained('go test', failed).kind])).toEqual([
    ['example.org/lab/unused', 'not_built'],
    ['example.org/lab/broken', 'not_built'],
  ])
})

test('treats a Go test that did not end as a crash, not as an assertion', () => {
  const test = { suite: 'example.org/lab', name: 'TestA', file: null, message: 'The test did not end.', stack: null }
  expect(explained('go test', { ...test, failure: 'not_ended' }).kind).toBe('crash_in_test')
  expect(explained('go test', { ...test, message: 'got 2, want 3' }).kind).toBe('assertion')
})

test('names the innermost place in the project, with its folder also for Go', async () => {
  const [jest] = (await failuresOf('jest.json')).filter(({ name }) => name === 'crash_in_code: async crash in code')
  expect(jest && explained('jest', jest).place).toEqual({ file: 'src/cart.js', line: 16 })
  const [go] = (await failuresOf('go.json')).filter(({ name }) => name === 'Test_assertion__Fatal')
  expect(go && explained('go test', go).place).toEqual({ file: 'cart/cart_test.go', line: 21 })
})

test('names the lines of the test through which the error came', async () => {
  const through = async (framework: string, sample: string, name: string) => {
    const found = (await failuresOf(sample)).find((failed) => failed.name === name)
    return found && explained(framework, found).testLines
  }
  const lines = await Promise.all([
    through('pytest', 'pytest.xml', 'test_crash_in_code__raises_other'),
    through('unittest', 'unittest.xml', 'test_crash_in_code__thrown_by_code'),
  ])
  expect(lines).toEqual([[69], [18]])
})

const failure = (message: string, stack: string | null = null, name = 'adds') => ({
  suite: 'money',
  name,
  file: 'packages/bank/test/money.test.ts',
  message,
  stack,
})
const inBank = { testPath: 'packages/bank/test/money.test.ts', root: '/work', directory: 'packages/bank' }

test('finds files of a part in a folder of its own, however the stack names them', () => {
  const kindOf = (stack: string) =>
    explainFailure({
      ...inBank,
      framework: 'vitest',
      test: failure('TypeError: x is not a function', stack),
      files: new Set(),
    })
  expect(kindOf('    at add (/work/packages/bank/src/money.ts:3:1)')).toEqual({
    kind: 'crash_in_code',
    place: { file: 'packages/bank/src/money.ts', line: 3 },
    testLines: [],
  })
  expect(kindOf('    at add (src/money.ts:3:1)').place?.file).toBe('packages/bank/src/money.ts')
  expect(kindOf('    at add (/work/packages/core/src/sum.ts:9:1)').place?.file).toBe('packages/core/src/sum.ts')
  expect(kindOf('    at add (/elsewhere/sum.ts:9:1)').place).toBeNull()
  expect(kindOf('    at setUp (/work/packages/bank/test/helpers/bank.ts:9:1)').kind).toBe('crash_in_test')
})

test('looks beneath dependencies for who called them', () => {
  const stack = `    at parse (/work/node_modules/yaml/index.js:1:1)\n    at load (/work/packages/bank/src/load.ts:8:2)`
  const test = failure('YAMLParseError: bad indentation', stack)
  expect(explainFailure({ ...inBank, framework: 'mocha', test, files: new Set() }).kind).toBe('crash_in_code')
})

test('finds frames of the JVM by the files of the repository', () => {
  const files = new Set(['app/src/main/java/com/acme/Money.java', 'app/src/test/java/com/acme/MoneyTest.java'])
  const around = { framework: 'maven', testPath: 'app/src/test/java/com/acme/MoneyTest.java', root: '/work', files }
  const kindOf = (message: string, stack: string) =>
    explainFailure({ ...around, directory: 'app', test: { ...failure(message, stack), file: around.testPath } }).kind
  const thrown = '\tat com.acme.Money.add(Money.java:7)\n\tat com.acme.MoneyTest.adds(MoneyTest.java:9)'
  expect(kindOf('java.lang.IllegalStateException: closed', thrown)).toBe('crash_in_code')
  const asserted =
    '\tat org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)\n\tat com.acme.MoneyTest.adds(MoneyTest.java:9)'
  expect(kindOf('org.opentest4j.AssertionFailedError: expected: <1> but was: <2>', asserted)).toBe('assertion')
})

test('is not deceived by values that look like assertions or timeouts', () => {
  const kindOf = (message: string, stack: string) =>
    explainFailure({ ...inBank, framework: 'vitest', test: failure(message, stack), files: new Set() }).kind
  const inCode = '    at add (/work/packages/bank/src/money.ts:3:1)'
  expect(kindOf("TypeError: Cannot read properties of undefined (reading 'expect')", inCode)).toBe('crash_in_code')
  expect(kindOf('Error: AssertionError is what this text speaks of', inCode)).toBe('crash_in_code')
  expect(kindOf('SyntaxError: Unexpected token in JSON', inCode)).toBe('crash_in_code')
})

test.for([
  ['node:test', 'Got unwanted exception.\nActual message: "no unit"', ''],
  ['vitest', "Error: expected [Function] to not throw an error but 'RangeError: no unit' was thrown", ''],
  ['jest', 'Error: expect(received).not.toThrow()\n\nError name: "RangeError"', ''],
  ['ava', 'assertion: t.notThrows()', ''],
  ['tape', 'operator: doesNotThrow', ''],
  ['pytest', 'Failed: raised no unit', '\nDuring handling of the above exception, another exception occurred:\n'],
  [
    'unittest',
    'AssertionError: raised no unit',
    'During handling of the above exception, another exception occurred:\n    self.fail(f"raised {error}")\n',
  ],
] as const)(
  'takes what %s says of something thrown for no assertion of what was wrong',
  ([framework, message, stack]) => {
    const failed = { suite: '', name: 'reads', file: 'test/cart.test.js', message, stack }
    const failure = { framework, test: failed, testPath: failed.file, root, directory: '', files: new Set<string>() }
    expect(explainFailure(failure).kind).toBe('crash_in_code')
  },
)
