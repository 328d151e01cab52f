import { expect, test } from 'vitest'
import type { Repetitions } from './repeat.ts'
import { judgeRepetitions } from './verdict.ts'

const passes = (runs: number): Repetitions => ({
  runs,
  passed: runs,
  failed: 0,
  command: 'npm test',
  errors: [],
  problems: [],
  slowestMs: 5,
})
const none = { ...passes(0), problems: ['The report does not contain the test.'] }
const failure = (runs: number) => ({ ...passes(runs), passed: runs - 1, failed: 1, errors: ['unlucky'] })
const options = { wanted: 20, warnings: ['The commit is not trusted.'], durationMs: 5 }

test('a problem is told once', () => {
  const { verdict, evidence } = judgeRepetitions(none, null, options)
  expect(verdict).toBe('inconclusive')
  expect(evidence).toMatchObject({
    summary: 'The test did not run, which confirms nothing. The report does not contain the test.',
    warnings: options.warnings,
  })
  const late = judgeRepetitions({ ...passes(20), problems: none.problems }, passes(20), options)
  expect(late).toMatchObject({ verdict: 'confirmed', evidence: { warnings: [...options.warnings, ...none.problems] } })
})

test('counts runs in words', () => {
  const summaryOf = (alone: Repetitions, inSuite: Repetitions | null) =>
    judgeRepetitions(alone, inSuite, options).evidence.summary
  expect(summaryOf(failure(1), null)).toBe('The test failed alone. It ran 1 time alone.')
  expect(summaryOf(passes(20), failure(3))).toBe(
    'The test failed in its suite. It ran 20 times alone and 3 times in its suite.',
  )
  expect(summaryOf(passes(1), null)).toBe(
    'The test ran only 1 time alone, never in its suite, which is too little to confirm a fix.',
  )
  expect(summaryOf(passes(20), passes(1))).toBe(
    'The test passed all repetitions: 20 times alone and 1 time in its suite. With 95 % confidence it fails in less than 13.3 % of runs.',
  )
})
