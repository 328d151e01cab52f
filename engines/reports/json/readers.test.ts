import { expect, test } from 'vitest'
import type { ReportReader } from '../report.ts'
import { readCtrf } from './ctrf.ts'
import { readJestJson } from './jest.ts'
import { readMochaJson } from './mocha.ts'
import { readPlaywrightJson } from './playwright.ts'
import { readRspecJson } from './rspec.ts'
import { brief, briefly, readWith, sample } from './testing.ts'

test('reads what jest writes: attempts, tests that are left out, and a file that cannot be loaded', async () => {
  expect(await briefly(readJestJson, 'jest.json')).toEqual([
    'passed | basket > total | adds prices | shop.test.js:3',
    'failed | basket > total | takes "members" off | shop.test.js:4 | failed | failed',
    'skipped | basket > total | rounds to cents | shop.test.js:5',
    'skipped | basket > total | knows currencies | shop.test.js:6',
    'passed |  | settles at last | shop.test.js:11 | failed',
    'failed |  | broken.test.js | broken.test.js:-',
  ])
  const { cases, warnings } = await readWith(readJestJson, await sample('jest.json'))
  expect(warnings).toEqual([])
  expect(cases[1]?.message).toBe(
    'Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 80\nReceived: 90',
  )
  expect(cases[1]?.stack).toMatch(/^ {4}at Object\.toBe \(\/home\/dev\/shop\/shop\.test\.js:4:52\)/)
  expect(cases[5]?.message).toContain("Cannot find module './nothing-here'")
})

test('reads what vitest writes in the same shape', async () => {
  expect(await briefly(readJestJson, 'vitest.json')).toEqual([
    'failed |  | broken.test.js | broken.test.js:-',
    'passed | basket > total | adds prices | shop.test.js:4',
    'failed | basket > total | takes "members" off | shop.test.js:5',
    'skipped | basket > total | rounds to cents | shop.test.js:6',
    'skipped | basket > total | knows currencies | shop.test.js:7',
    'passed |  | settles at last | shop.test.js:11 | failed',
  ])
})

test('reads titles that are lists or numbers', async () => {
  const titled = (title: unknown, ancestorTitles: unknown[] = []) => ({ ancestorTitles, title, status: 'passed' })
  const assertionResults = [titled(['a', 'b'], [['x'], 2]), titled(7)]
  const report = JSON.stringify({ numTotalTests: 2, testResults: [{ name: 'a.js', assertionResults }] })
  const { cases } = await readWith(readJestJson, report)
  expect(cases).toMatchObject([
    { suite: 'x > 2', name: 'a,b' },
    { suite: '', name: '7' },
  ])
})

test('reads what Playwright writes: projects are the outermost suite, retries are attempts', async () => {
  expect((await briefly(readPlaywrightJson, 'playwright.json')).filter((line) => line.includes('wide'))).toEqual([
    'passed | wide > basket | adds prices | shop.spec.js:3',
    'failed | wide > basket | takes "members" off | shop.spec.js:4 | failed',
    'skipped | wide > basket | rounds to cents | shop.spec.js:5',
    'passed | wide > basket | knows it is broken | shop.spec.js:6',
    'passed | wide > basket | settles at last | shop.spec.js:7 | failed',
  ])
  const { cases } = await readWith(readPlaywrightJson, await sample('playwright.json'))
  expect(cases).toHaveLength(10)
  expect(cases.find(({ status }) => status === 'failed')?.message).toBe(
    'Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 80\nReceived: 90',
  )
})

test('takes an error of Playwright outside of tests for a failed case', async () => {
  expect(await briefly(readPlaywrightJson, 'playwright-error.json')).toEqual([
    'failed |  | bad/bad.spec.js | bad/bad.spec.js:1',
    'failed |  | error outside of tests | -:-',
  ])
})

test('says of a test that passed against expectation what was expected', async () => {
  const spec = { title: 'broken', file: 'a.spec.ts', line: 1 }
  const unexpected = { expectedStatus: 'failed', status: 'unexpected', results: [{ status: 'passed' }] }
  const suites = [{ title: 'a.spec.ts', file: 'a.spec.ts', specs: [{ ...spec, tests: [unexpected] }] }]
  const { cases } = await readWith(readPlaywrightJson, JSON.stringify({ suites, stats: { unexpected: 1 } }))
  expect(cases).toMatchObject([{ status: 'failed', message: 'The test was expected to be failed, but is passed.' }])
})

test('reads what mocha writes, with the hooks that failed', async () => {
  expect(await briefly(readMochaJson, 'mocha.json')).toEqual([
    'skipped | basket total | rounds to cents | shop.test.cjs:-',
    'skipped | basket total | knows currencies | shop.test.cjs:-',
    'failed | basket total | takes "members" off | shop.test.cjs:-',
    'failed | basket shelf | "before each" hook: fills it for "holds books" | shop.test.cjs:-',
    'passed | basket total | adds prices | shop.test.cjs:-',
    'passed | basket total | settles at last | shop.test.cjs:- | failed',
  ])
})

test('reads what RSpec writes, and its errors outside of examples', async () => {
  expect(await briefly(readRspecJson, 'rspec.json')).toEqual([
    'passed | basket total | adds prices | shop_spec.rb:3',
    'failed | basket total | takes members off | shop_spec.rb:4',
    'skipped | basket total | rounds to cents | shop_spec.rb:5',
    'skipped | basket total | knows currencies | shop_spec.rb:6',
  ])
  expect(await briefly(readRspecJson, 'rspec-error.json')).toEqual(['failed |  | broken_spec.rb | broken_spec.rb:-'])
})

test.each([
  ['ctrf-jest.json', 5, 1, 'basket > total'],
  ['ctrf-playwright.json', 10, 2, 'wide > basket'],
])('reads CTRF as reporters write it: %s', async (name, total, failed, suite) => {
  const { cases, warnings } = await readWith(readCtrf, await sample(name))
  expect(warnings).toEqual([])
  expect([cases.length, cases.filter(({ status }) => status === 'failed').length]).toEqual([total, failed])
  expect(cases[0]).toMatchObject({ suite, status: 'passed' })
  expect(cases.find(({ name: title }) => title === 'settles at last')?.attempts).toMatchObject([{ status: 'failed' }])
})

test('reads CTRF with a list of suites, and one that only says that a test is flaky', async () => {
  const tests = [
    { name: 'a', status: 'passed', duration: 5, suite: ['x', 'y'], flaky: true, line: 7, filePath: 'a.py' },
    { name: 'b', status: 'other', duration: 0, suite: 'x' },
  ]
  const { cases } = await readWith(readCtrf, JSON.stringify({ results: { summary: { tests: 2 }, tests } }))
  expect(cases.map(brief)).toEqual(['passed | x > y | a | a.py:7 | failed', 'skipped | x | b | -:-'])
})

test.each<[string, ReportReader, unknown]>([
  ['jest', readJestJson, { numTotalTests: 0, testResults: [] }],
  ['Playwright', readPlaywrightJson, { suites: [], stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0 } }],
  ['mocha', readMochaJson, { stats: { tests: 0 }, passes: [], pending: [], failures: [] }],
  ['RSpec', readRspecJson, { examples: [], summary: { example_count: 0 } }],
  ['CTRF', readCtrf, { results: { summary: { tests: 0 }, tests: [] } }],
])('accepts a report of %s that announces no tests', async (_, reader, content) => {
  expect(await readWith(reader, JSON.stringify(content))).toEqual({ cases: [], warnings: [] })
})

test.each<[string, ReportReader, unknown, string]>([
  ['jest', readJestJson, {}, 'testResults: the field is missing'],
  ['jest', readJestJson, { testResults: [] }, 'the report has no tests'],
  ['jest', readJestJson, { testResults: [], numTotalTests: 3 }, 'the report announces 3 tests and has none'],
  ['jest', readJestJson, { testResults: [{ name: 'a' }] }, 'testResults[0].assertionResults: the field is missing'],
  [
    'jest',
    readJestJson,
    { testResults: [{ name: 'a', assertionResults: [{ title: 't', status: 'fine' }] }] },
    'testResults[0].assertionResults[0].status: "fine" is not a known value',
  ],
  [
    'jest',
    readJestJson,
    { testResults: [{ name: 'a', assertionResults: [{ status: 5 }] }] },
    'testResults[0].assertionResults[0].status: expected text, got number',
  ],
  ['Playwright', readPlaywrightJson, { stats: {} }, 'suites: the field is missing'],
  ['mocha', readMochaJson, { stats: {}, passes: [] }, 'pending: the field is missing'],
  ['RSpec', readRspecJson, { summary: {} }, 'examples: the field is missing'],
  ['CTRF', readCtrf, { results: { summary: { tests: 1 } } }, 'results.tests: the field is missing'],
])('refuses a report of %s that lacks or confuses something', async (_, reader, content, problem) => {
  await expect(readWith(reader, JSON.stringify(content))).rejects.toMatchObject({
    code: 'malformed',
    message: expect.stringContaining(problem),
  })
})

test('warns where totals do not add up', async () => {
  const testResults = [{ name: 'a', assertionResults: [{ title: 't', status: 'passed' }] }]
  const { cases, warnings } = await readWith(readJestJson, JSON.stringify({ testResults, numTotalTests: 5 }))
  expect(cases).toHaveLength(1)
  expect(warnings).toEqual(['report: the report announces 5 tests and has 1'])
})

test('cuts texts and attempts to their limits', async () => {
  const assertion = { title: 'n'.repeat(5_000), status: 'failed', failureMessages: [`${'m'.repeat(50_000)}\n    at x`] }
  const testResults = [{ name: 'a', assertionResults: [{ ...assertion, invocations: 1e9 }] }]
  const { cases } = await readWith(readJestJson, JSON.stringify({ testResults, numTotalTests: 1 }))
  expect([cases[0]?.name.length, cases[0]?.message?.length, cases[0]?.attempts.length]).toEqual([1_000, 4_000, 20])
})
