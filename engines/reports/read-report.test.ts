import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReportError } from './report.ts'
import { readAll, readSample } from './testing.ts'

test.each([
  ['junit/surefire.xml', 'junit'],
  ['money.trx', 'trx'],
  ['jest.json', 'jest-json'],
  ['vitest.json', 'jest-json'],
  ['playwright.json', 'playwright-json'],
  ['playwright-error.json', 'playwright-json'],
  ['mocha.json', 'mocha-json'],
  ['rspec.json', 'rspec-json'],
  ['ctrf-jest.json', 'ctrf'],
  ['ctrf-playwright.json', 'ctrf'],
  ['go.json', 'go-json'],
  ['tap.tap', 'tap'],
  ['node.tap', 'tap'],
  ['vitest-flat.tap', 'tap'],
  ['perl.tap', 'tap'],
  ['bats.tap', 'tap'],
  ['cargo.txt', 'libtest'],
  ['cargo-error.txt', 'libtest'],
  ['cargo-abort.txt', 'libtest'],
])('tells %s to be %s', async (sample, format) => {
  const report = await readSample(sample)
  expect(report.format).toBe(format)
  expect(report.cases.length).toBeGreaterThan(0)
})

test.each([
  ['', 'empty', 'the file is empty'],
  [' \n', 'unknown_format', 'an empty file'],
  ['<!DOCTYPE html>\n<html><body>404</body></html>', 'unknown_format', 'an HTML page'],
  ['<?xml version="1.0"?><!-- x --><coverage line-rate="1"/>', 'unknown_format', 'a coverage report'],
  ['<test-run id="2"><test-suite/></test-run>', 'unknown_format', 'an NUnit 3 report'],
  ['<menu><item/></menu>', 'unknown_format', 'with the root <menu>'],
  ['{"hello":[{"tests":1}],"world":2}', 'unknown_format', 'JSON of an unknown kind, with hello, world'],
  ['[1,2,3]', 'unknown_format', 'a JSON list'],
  ['\u0000\u0001\u0002', 'unknown_format', 'a binary file'],
  ['PK\u0003\u0004rest', 'unknown_format', 'a ZIP archive'],
  ['ok  \texample.com/money\t0.01s\n', 'unknown_format', 'plain output of `go test`'],
  ['TN:\nSF:a.ts\nend_of_record\n', 'unknown_format', 'an LCOV coverage file'],
  ['npm ERR! missing script: test\n', 'unknown_format', 'a text file that begins with "npm ERR!'],
])('says what %j looks like, and which formats are supported', async (content, code, words) => {
  const failure = await readAll(content, { name: 'out/report.xml' }).catch((error: unknown) => error)
  if (!(failure instanceof ReportError)) throw new Error('The report was read.')
  expect(failure).toMatchObject({ code, file: 'out/report.xml' })
  expect(failure.message).toContain(words)
  expect(failure.message).toContain('The supported formats are: JUnit XML, TRX')
})

test('ignores results that a test printed into its output', async () => {
  const output = 'TAP version 13\n1..1\nok 1\nrunning 3 tests\n{"Action":"pass","Package":"p"}\n'
  const report = await readAll(
    `<testsuite>\n<testcase name="t"><system-out>\n${output}</system-out></testcase></testsuite>`,
  )
  expect(report).toMatchObject({ format: 'junit', cases: [{ name: 't' }] })
})

test.each([
  ['comments and declarations', `<?xml version="1.0"?>${'<!-- <html> --><?x y?>'.repeat(100)}<!DOCTYPE a>`],
  ['much of them', '<?a?>'.repeat(5000)],
])('finds the root behind %s', async (_, before) => {
  expect((await readAll(`${before}<testsuite><testcase name="t"/></testsuite>`)).cases).toHaveLength(1)
  await expect(readAll(before)).rejects.toThrow('XML or HTML without an element')
})

test('reads a report without tests, and warns', async () => {
  const { cases, warnings } = await readAll('<testsuites/>', { name: 'r.xml' })
  expect(cases).toEqual([])
  expect(warnings).toEqual(['r.xml: the report contains no tests'])
})

const samples = ['junit/surefire.xml', 'junit/pytest-xunit1.xml', 'junit/gotestsum-rerun.xml', 'money.trx']

test.each(samples)('%s means the same however its bytes come', async (sample) => {
  const bytes = await readFile(new URL(`samples/${sample}`, import.meta.url))
  const whole = await readAll(bytes)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 30 }), async (cuts) => {
      const ends = [0, ...cuts, bytes.length].toSorted((one, other) => one - other)
      const pieces = () => ends.slice(1).map((end, index) => bytes.subarray(ends[index], end))
      expect(await readAll(bytes, { pieces })).toEqual(whole)
    }),
    { numRuns: 25 },
  )
})

test.each(samples)('%s is refused wherever it is cut off', async (sample) => {
  const bytes = await readFile(new URL(`samples/${sample}`, import.meta.url))
  const complete = bytes.toString('latin1').trimEnd().length
  await fc.assert(
    fc.asyncProperty(fc.nat(complete - 1), async (length) => {
      await expect(readAll(bytes.subarray(0, length))).rejects.toBeInstanceOf(ReportError)
    }),
    { numRuns: 60 },
  )
})

test('bytes that were changed give a report or a ReportError, never another failure', async () => {
  const bytes = await readFile(new URL('samples/junit/surefire.xml', import.meta.url))
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.uint8Array({ minLength: 1, maxLength: 8 }), async (at, change) => {
      const changed = Buffer.from(bytes)
      changed.set(change.subarray(0, bytes.length - at), at)
      const failure: unknown = await readAll(changed).then(
        () => null,
        (error: unknown) => error,
      )
      if (failure !== null) expect(failure).toBeInstanceOf(ReportError)
    }),
    { numRuns: 100 },
  )
})
