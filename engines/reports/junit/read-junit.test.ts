import { expect, test } from 'vitest'
import { read, readAll, readSample } from '../testing.ts'

const suite = (cases: string, attributes = '') => `<testsuite name="s"${attributes}>${cases}</testsuite>`

/** One line for each case, as a person would note it down. */
async function notes(sample: string) {
  const { cases } = await readSample(`junit/${sample}.xml`)
  return cases.map(({ suite: around, name, file, line, status, attempts }) =>
    [status, around, name, file === null ? '' : `${file}:${line ?? ''}`, attempts.length || ''].join(' | '),
  )
}

test('gives tests of pytest the same key with and without files', async () => {
  const withFiles = await notes('pytest-xunit1')
  expect(withFiles).toContain('failed | tests.test_money.TestMoney | test_scales[1] | tests/test_money.py:7 | ')
  expect(withFiles).toContain('skipped | tests.test_money | test_known | tests/test_money.py:18 | ')
  const withoutPlace = withFiles.map((line) => line.replace(/tests\/[^|]*/, ' '))
  expect(await notes('pytest-xunit2')).toEqual(withoutPlace.map((line) => line.replace('|   |', '|  |')))
})

test('pytest errors of collecting and setting up say what is wrong', async () => {
  const { cases } = await readSample('junit/pytest-xunit2.xml')
  expect(cases.map(({ message }) => message)).toContain('failed on setup with "RuntimeError: fixture is broken"')
  expect(cases.map(({ message }) => message)).toContain('AssertionError: wrong factor\nassert (1 * 2) == 4')
  const [broken] = await read(
    suite(
      '<testcase classname="" name="tests.test_a"><error message="collection failure">Traceback:\ntests/a.py:1: in &lt;module&gt;\nE   ModuleNotFoundError: No module named \'b\'</error></testcase>',
    ),
  )
  expect(broken).toMatchObject({ name: 'tests.test_a', message: "ModuleNotFoundError: No module named 'b'" })
  const [unread] = await read(
    suite(
      '<testcase classname="" name="tests.test_a"><error message="collection failure">tests/a.py:1: in &lt;module&gt;\n    from shop.dates import add\nE     File "/work/shop/dates.py", line 9\nE       if x &gt; 1\nE               ^\nE   SyntaxError: expected \':\'</error></testcase>',
    ),
  )
  expect(unread).toMatchObject({ message: "SyntaxError: expected ':'" })
})

test('a function of pytest that is named after its file is a test in it, not the file', async () => {
  const report = '<testsuite name="pytest"><testcase classname="test_a" name="test_a" file="test_a.py"/></testsuite>'
  expect(await read(report)).toMatchObject([{ suite: 'test_a', name: 'test_a', file: 'test_a.py' }])
})

test.each([
  ['vitest', 'failed | money > adding | fails | vit.test.ts: | '],
  ['node-test', 'failed | money > adding | fails | nodetest.test.mjs: | '],
  ['jest-junit', 'failed | money | adding fails |  | '],
  ['jest-junit-templates', 'failed | money adding | fails | src/money.test.js: | '],
  ['mocha-xunit', 'failed | money adding | fails | spec/money.js: | '],
  ['mocha-junit-reporter', 'failed | money adding | fails | spec/money.js: | '],
  ['playwright', 'failed | chromium > cart | pays | shop.spec.ts: | '],
  ['bun', 'failed | money | fails | money.test.ts:5 | '],
  ['phpunit', 'failed | Acme\\MoneyTest | testScales with data set "one" | MoneyTest.php:7 | '],
  ['rspec', 'failed |  | Money adding fails | spec/money_spec.rb: | '],
  ['gtest', 'failed | Money | Fails | t.cc:3 | '],
  ['gtest', 'skipped | Money | DISABLED_Off | t.cc:5 | '],
  ['ctest', 'skipped |  | off |  | '],
  ['gradle', 'failed | com.acme.MoneyTest | [1] 7 |  | '],
  ['surefire', 'failed | com.acme.MoneyTest | fails |  | 2'],
  ['surefire', 'passed | com.acme.MoneyTest | flaky |  | 1'],
  ['nextest', 'passed | money::bin/money | tests::flaky |  | 1'],
  ['nextest', 'failed | money::bin/money | tests::fails |  | 1'],
  ['gotestsum', 'failed | example.com/money | TestAdds/two |  | '],
  ['gotestsum-rerun', 'passed | example.com/money | TestFlaky |  | 1'],
  ['gotestsum-rerun', 'failed | example.com/money | TestAdds/two |  | 2'],
  ['pytest-reruns', 'passed | test_flaky | test_sometimes |  | '],
])('reads what %s writes', async (sample, note) => {
  expect(await notes(sample)).toContain(note)
})

test.each([
  ['vitest', 'expected 1 to be 2 // Object.is equality'],
  ['jest-junit', 'Error: expect(received).toBe(expected) // Object.is equality'],
  ['mocha-xunit', 'AssertionError [ERR_ASSERTION]: 1 == 2'],
  ['playwright', 'Error: expect(received).toBe(expected) // Object.is equality'],
  ['phpunit', 'Failed asserting that 2 is identical to 4.'],
  ['gotestsum', 'money_test.go:3: got 1, want 2'],
  ['surefire', 'wrong sum expected:<1> but was:<2>'],
  ['nextest', "thread 'tests::fails' panicked at src/main.rs:14:9"],
  ['gradle', 'org.opentest4j.AssertionFailedError: expected: <1> but was: <2>'],
])('finds the telling line in a failure of %s', async (sample, message) => {
  const { cases } = await readSample(`junit/${sample}.xml`)
  expect(cases.filter(({ status }) => status === 'failed').map((one) => one.message?.split('\n')[0])).toContain(message)
})

test('reads quotes that Node escapes twice, and keeps those of other tools', async () => {
  const cases = `<testcase name="says &amp;quot;no&amp;quot;" classname="a &amp;quot;b&amp;quot;"/>`
  const node = `<testsuite name="a &amp;quot;b&amp;quot;" disabled="0" hostname="h">${cases}</testsuite>`
  expect(await read(node)).toMatchObject([{ suite: 'a "b"', name: 'says "no"' }])
  expect(
    await read('<testsuites><testcase name="says &amp;quot;no&amp;quot;" classname="test" file="/a.js"/></testsuites>'),
  ).toMatchObject([{ suite: '', name: 'says "no"' }])
  expect(await read(suite('<testcase name="escapes &amp;quot;"/>'))).toMatchObject([{ name: 'escapes &quot;' }])
})

test('tells tries from tests of one name', async () => {
  const failed = '<testcase classname="c" name="t"><failure message="no"/></testcase>'
  const passed = '<testcase classname="c" name="t"/>'
  const other = '<testcase classname="c" name="u"/>'
  const statuses = async (cases: string, attributes?: string) =>
    (await read(suite(cases, attributes))).map(({ status, attempts }) => `${status} ${attempts.length}`)
  expect(await statuses(failed + failed + passed)).toEqual(['passed 2'])
  expect(await statuses(failed + failed)).toEqual(['failed 0', 'failed 0'])
  expect(await statuses(passed + failed)).toEqual(['passed 0', 'failed 0'])
  expect(await statuses(failed + other + passed)).toEqual(['failed 0', 'passed 0', 'passed 0'])
  const pytest = `<testsuite name="pytest">${failed + other + failed}</testsuite>`
  expect((await read(pytest)).map(({ status, attempts }) => `${status} ${attempts.length}`)).toEqual([
    'passed 0',
    'failed 1',
  ])
})

test('joins several failures of one test', async () => {
  const [only] = await read(suite('<testcase name="t"><failure message="one"/><error message="two"/></testcase>'))
  expect(only).toMatchObject({ status: 'failed', message: 'one\n\ntwo', attempts: [] })
})

test.each([
  ['1.5', 1500],
  ['1,234.567', 1_234_567],
  ['0,012', 12],
  ['NaN', null],
  ['', null],
  ['-1', null],
  ['1e400', null],
])('reads the time %s', async (time, durationMs) => {
  expect((await read(suite(`<testcase name="t" time="${time}"/>`)))[0]?.durationMs).toBe(durationMs)
})

test('reports errors outside of tests as failed cases', async () => {
  const setUp = await read(`<testsuites><testsuite name="db"><error message="no database"/></testsuite></testsuites>`)
  expect(setUp).toMatchObject([{ name: 'db', status: 'failed', message: 'no database' }])
  const announced = await read(`<testsuites errors="1"><testsuite name="pkg" errors="1" tests="0"/></testsuites>`)
  expect(announced).toMatchObject([{ name: 'pkg', status: 'failed' }])
  expect(announced).toHaveLength(1)
})

test('warns of a forged total', async () => {
  const { cases, warnings } = await readAll(suite('<testcase name="t"/>', ' tests="1000000000"'))
  expect(cases).toHaveLength(1)
  expect(warnings.join()).toContain('announces 1000000000 and has 1')
})

test('totals of real reports give no warnings', async () => {
  for (const sample of ['vitest', 'node-test', 'phpunit', 'gtest', 'surefire', 'pytest-xunit1', 'jest-junit', 'bun']) {
    expect((await readSample(`junit/${sample}.xml`)).warnings).toEqual([])
  }
})

test('keeps texts within their limits and without codes of terminals', async () => {
  const long = `start ${'x'.repeat(100_000)} end`
  const [only] = await read(
    suite(
      `<testcase name="${'n'.repeat(9000)}"><failure message="\u001b[31m${long}">&#x1b;[1m${long}\0</failure></testcase>`,
    ),
  )
  expect(only?.name.length).toBe(1000)
  expect(only?.message).toMatch(/^start x+\n… \d+ characters left out …\nx+ end$/)
  expect(only?.message?.length).toBeLessThanOrEqual(4000)
  expect(only?.stack).toMatch(/^start x/)
  expect(only?.stack?.length).toBeLessThanOrEqual(16_000)
})

test('does not count a test case that is printed inside of output', async () => {
  const cases = await read(
    suite('<testcase name="t"><system-out><![CDATA[<testcase name="u"><failure/>]]></system-out></testcase>'),
  )
  expect(cases).toMatchObject([{ name: 't', status: 'passed' }])
})
