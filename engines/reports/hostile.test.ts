import { expect, test } from 'vitest'
import { readGoJson } from './go-json.ts'
import { readJestJson } from './json/jest.ts'
import { readWith } from './json/testing.ts'
import { readLibtest } from './libtest.ts'
import type { ReportReader } from './report.ts'
import { readTap } from './tap.ts'

const long = 60_000
const goEvent = (event: object) => `${JSON.stringify({ Package: 'p', Test: 'T', ...event })}\n`
const result = 'test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n'

test.each<[string, ReportReader, string]>([
  ['spaces after a test of TAP', readTap, `ok${' '.repeat(long)}\rx\n1..1\n`],
  ['hashes after a test of TAP', readTap, `ok ${' #'.repeat(long / 2)}\n1..1\n`],
  ['empty lines of YAML', readTap, `not ok\n  ---\n${'  \n'.repeat(long / 3)}  ...\n1..1\n`],
  ['dots in a test of cargo', readLibtest, `running 1 test\ntest ${'a ... '.repeat(long / 6)}\n`],
  ['spaces after a reason', readLibtest, `running 1 test\ntest a ... ignored, ${' '.repeat(long)}\n`],
  [
    'panics within a panic',
    readLibtest,
    `running 1 test\ntest a ... FAILED\n---- a stdout ----\n${"panicked at '".repeat(long / 12)}\n\nfailures:\n    a\n\n${result}`,
  ],
  ['slashes in a name of go', readGoJson, goEvent({ Action: 'run', Test: 'a/'.repeat(long * 4) })],
  [
    'empty lines in the output of go',
    readGoJson,
    goEvent({ Action: 'output', Output: '\n \t'.repeat(long) }) + goEvent({ Action: 'fail' }),
  ],
  [
    'an event of go that is nested deep',
    readGoJson,
    `{"Action":${'['.repeat(1_000_000)}\n${goEvent({ Action: 'run' })}`,
  ],
  [
    'empty lines in a message of jest',
    readJestJson,
    JSON.stringify({
      testResults: [
        { name: 'a', assertionResults: [{ title: 't', status: 'failed', failureMessages: [' \n'.repeat(long)] }] },
      ],
    }),
  ],
  // Some milliseconds each; what grows with the square would take longer than any test may.
])('reads %s', async (_, reader, content) => {
  const { cases } = await readWith(reader, content)
  expect(cases.length).toBeGreaterThan(0)
})
