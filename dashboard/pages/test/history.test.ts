import { expect, test } from 'vitest'
import { errorsOf, type PastResult, statusOfResult } from './history.ts'

const result = (fields: Partial<PastResult>): PastResult => ({
  runId: 'run',
  branch: 'main',
  commitSha: null,
  variant: '',
  status: 'failed',
  durationMs: 1,
  message: null,
  flaky: false,
  muted: false,
  fingerprint: null,
  outage: null,
  ranAt: '2026-01-02T03:04:05.000Z',
  createdAt: '2026-01-02T03:04:05.000Z',
  ...fields,
})

test('errors of one cause are one group, with those of attempts before the test passed', () => {
  const errors = errorsOf([
    result({ status: 'passed', flaky: true, fingerprint: 'outage' }),
    result({ message: 'expected 1 to be 2', fingerprint: 'assertion' }),
    result({ message: 'connect ECONNREFUSED 127.0.0.1:4000', fingerprint: 'outage' }),
    result({ status: 'passed' }),
    result({ message: 'connect ECONNREFUSED 127.0.0.1:5000', fingerprint: 'outage' }),
  ])
  expect(errors.map(({ message, results }) => [message, results.length])).toEqual([
    ['connect ECONNREFUSED 127.0.0.1:4000', 3],
    ['expected 1 to be 2', 1],
  ])
})

test('a failure in an outage does not look like one of the test', () => {
  expect(statusOfResult(result({}))).toBe('failed')
  expect(statusOfResult(result({ outage: 'mass' }))).toBe('excused')
  expect(statusOfResult(result({ outage: 'mass', muted: true }))).toBe('muted')
  expect(statusOfResult(result({ outage: 'mass', status: 'passed' }))).toBe('passed')
})
