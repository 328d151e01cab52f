import { expect, test } from 'vitest'
import type { EndReason, ExecutionOutcome } from '../../engines/sandbox/executor.ts'
import { noTests } from '../../engines/reports/totals.ts'
import { commandError, resultError } from './command-error.ts'

const ended = (reason: EndReason, exitCode: number | null = 0, message: string | null = null): ExecutionOutcome => ({
  reason,
  exitCode,
  signal: null,
  message,
  usage: { wallMs: 1, cpuMs: 1, peakMemoryBytes: 1 },
})

const passed = { ...noTests, totalTests: 3, passedTests: 3 }
const oneFailed = { ...noTests, totalTests: 3, passedTests: 2, failedTests: 1 }
const part = {
  command: 'npm test',
  failureExitCodes: [1],
  reports: 1,
  problems: [],
  lookedFor: ['**/junit*.xml'],
  framework: null,
  testNetwork: true,
  selection: null,
}

test('returns no error for a successful command with passed tests', () => {
  expect(resultError({ ...part, outcome: ended('ok'), totals: passed })).toBeNull()
})

test('returns no error for failed tests with any exit code', () => {
  expect(resultError({ ...part, outcome: ended('failed', 1), totals: oneFailed })).toBeNull()
  expect(resultError({ ...part, outcome: ended('ok'), totals: oneFailed })).toBeNull()
})

test('returns an error for exit code 0 without tests', () => {
  expect(resultError({ ...part, outcome: ended('ok'), totals: noTests })).toMatchObject({ code: 'no_tests' })
  expect(resultError({ ...part, outcome: ended('ok'), totals: noTests, reports: 0 })).toMatchObject({
    code: 'no_report',
    message: expect.stringContaining('reportGlobs'),
  })
})

test('says why Jest may end without a report', () => {
  const error = resultError({ ...part, framework: 'jest', outcome: ended('failed', 1), totals: noTests, reports: 0 })
  expect(error?.message).toMatch(/process\.exit/)
})

test('returns an error for a failure without a failed test, for example if a reporter was replaced', () => {
  expect(resultError({ ...part, outcome: ended('failed', 1), totals: passed })).toMatchObject({
    code: 'command_failed',
    message: expect.stringContaining('contain no failed test'),
  })
})

test('returns an error for an unreadable report among others', () => {
  const problems = ['a.xml, line 3: cut off', 'b.xml: empty']
  expect(resultError({ ...part, outcome: ended('ok'), totals: passed, problems })).toEqual({
    code: 'report_unreadable',
    message: 'a.xml, line 3: cut off. 1 more report could not be read.',
    seeOutput: false,
  })
})

test.each([
  ['cpu', 'cpu_limit', ''],
  ['memory', 'memory_limit', ''],
  ['processes', 'process_limit', ''],
  ['output', 'output_limit', ''],
  ['disk', 'disk_limit', " The server's setting SANDBOX_DISK_MB is the limit."],
  ['files', 'disk_limit', " The server's setting SANDBOX_FILES is the limit."],
  ['infra', 'sandbox_failed', ''],
] as const)('the limit %s has a code and its own words, whatever was reported before', (reason, code, hint) => {
  const outcome = ended(reason, null, 'It used too much.')
  expect(resultError({ ...part, outcome, totals: passed })).toEqual({
    code,
    message: `\`npm test\` was stopped: It used too much.${hint}`,
    seeOutput: true,
  })
})

test('names a failed step before the tests', () => {
  expect(commandError('install', 'npm ci', ended('ok'))).toBeNull()
  expect(commandError('install', 'npm ci', ended('failed', 7))).toEqual({
    code: 'install_failed',
    message: '`npm ci` ended with exit code 7.',
    seeOutput: true,
  })
})

test('says that an install could not resolve a host, and what to do', () => {
  expect(commandError('install', 'pip install -e .', ended('failed', 1), 'pypi.org')?.message).toBe(
    '`pip install -e .` ended with exit code 1. The server could not resolve pypi.org. Check its network, or set `installCommand`.',
  )
})

test('names the settings for time and network after a timeout', () => {
  const outcome = ended('wall', null, 'It ran for more than 600 s.')
  const [offline, online] = [false, true].map((testNetwork) =>
    resultError({ ...part, outcome, totals: noTests, testNetwork }),
  )
  expect(offline).toMatchObject({ code: 'timeout', message: expect.stringMatching(/timeoutSeconds.*testNetwork/) })
  expect(online).toMatchObject({ code: 'timeout', message: expect.not.stringContaining('testNetwork') })
})

test('explains a missing command instead of a missing report', () => {
  const missing = resultError({ ...part, outcome: ended('failed', 127), totals: noTests, reports: 0 })
  expect(missing).toMatchObject({ code: 'no_report', message: expect.stringMatching(/not found.*installCommand/) })
  expect(missing?.message).not.toContain('reportGlobs')
  const closed = resultError({ ...part, outcome: ended('failed', 126), totals: noTests, reports: 0 })
  expect(closed?.message).toContain('could not be executed')
})

test('suggests that a known runner without a report is not installed', () => {
  const undeclared = 'package.json does not name vitest.'
  const own = { ...part, framework: 'vitest', undeclared, outcome: ended('failed', 1), totals: noTests, reports: 0 }
  const error = resultError(own)
  expect(error?.message).toContain('does not name vitest')
  expect(error?.message).not.toContain('reportGlobs')
})

test('names a selection that matches no test', () => {
  const selection = { paths: [], tests: [{ suite: '', name: 'b', file: null }] }
  const named = { code: 'no_tests', message: expect.stringContaining('"b"') }
  expect(resultError({ ...part, outcome: ended('ok'), totals: noTests, selection })).toMatchObject(named)
  const skipped = { ...noTests, totalTests: 3, skippedTests: 3 }
  expect(resultError({ ...part, outcome: ended('ok'), totals: skipped, selection })).toMatchObject(named)
  expect(resultError({ ...part, outcome: ended('ok'), totals: skipped })).toBeNull()
})
