import { expect, test } from 'vitest'
import type { Ranges } from '../coverage/ranges.ts'
import type { OutcomeCase, RunOutcome } from './outcome.ts'
import type { FailureKind } from './schema.ts'
import { brokenTests, mutantOutcome, runFacts } from './run-facts.ts'

function found(name: string, kind: FailureKind | null = null, file = 'a.test.ts'): OutcomeCase {
  const status = kind === null ? 'passed' : 'failed'
  return {
    suite: 'cart',
    name,
    file,
    status,
    durationMs: 1,
    message: kind && 'no',
    kind,
    place: null,
    testLines: kind === null ? [] : [4, 20],
  }
}

function outcome(cases: OutcomeCase[], change: Partial<RunOutcome> = {}): RunOutcome {
  return {
    execution: {
      reason: cases.some(({ status }) => status === 'failed') ? 'failed' : 'ok',
      exitCode: 0,
      signal: null,
      message: null,
      usage: { wallMs: 12.4, cpuMs: null, peakMemoryBytes: null },
    },
    cases,
    totals: { totalTests: cases.length, passedTests: 0, failedTests: 0, skippedTests: 0, flakyTests: 0 },
    problem: null,
    coverage: null,
    hang: null,
    output: '',
    warnings: [],
    ...change,
  }
}
const problem = { code: 'command_failed', message: 'It ended with exit code 1.' }
const stopped = { ...outcome([]).execution, reason: 'wall' as const }

test.for<[story: string, cases: OutcomeCase[], change: Partial<RunOutcome>, expected: string]>([
  ['kills by an assertion', [found('a', 'assertion'), found('b', 'crash_in_code')], {}, 'killed'],
  ['crashes in the code', [found('a', 'crash_in_code'), found('b')], {}, 'crashed'],
  ['crashes in the test', [found('a', 'crash_in_test')], {}, 'crashed'],
  ['is given up by its runner', [found('a', 'timeout')], {}, 'timed_out'],
  ['never ends', [], { execution: stopped }, 'timed_out'],
  ['is not built', [found('a', 'not_built')], {}, 'invalid'],
  ['is not found', [], {}, 'invalid'],
  ['passes', [found('a')], {}, 'survived'],
  ['passes, and the process fails', [found('a')], { problem }, 'crashed'],
])('takes a mutant against which the test %s for %s', ([, cases, change, expected]) => {
  expect(mutantOutcome(outcome(cases, change), cases)).toBe(expected)
})

test.for<[cases: OutcomeCase[], lines: Ranges, expected: string]>([
  [[found('a', 'crash_in_code')], [[3, 4]], 'killed'],
  [
    [found('a', 'crash_in_test')],
    [
      [1, 1],
      [20, 21],
    ],
    'killed',
  ],
  [[found('a', 'crash_in_code'), found('b')], [[5, 19]], 'crashed'],
  [[found('a', 'timeout')], [[4, 4]], 'timed_out'],
  [[found('a', 'not_built')], [[4, 4]], 'invalid'],
])(
  'a mutant kills with another error than the expected one, in the lines that expect it: %j',
  ([cases, lines, expected]) => {
    expect(mutantOutcome(outcome(cases), cases, lines)).toBe(expected)
  },
)

test('names what the test broke, and not what it is or what failed before', () => {
  const own = [found('mine', 'assertion')]
  const others = [found('other', 'assertion', 'b.test.ts'), found('known', 'assertion', 'b.test.ts'), found('fine')]
  const known = new Set(['cart > known'])
  expect(brokenTests(outcome([...own, ...others]), own, known)).toEqual(['cart > other'])
  expect(brokenTests(outcome([], { problem }), [], known)).toEqual(['the whole run (command_failed)'])
  const how = { seed: '7', own, knownFailures: known }
  expect(runFacts(outcome([...own, ...others]), { kind: 'suite', ...how }).run).toMatchObject({
    order: 'random',
    outcome: 'failed',
    durationMs: 12,
    failures: [{ test: 'cart > mine', kind: 'assertion' }],
    broke: ['cart > other'],
  })
  expect(runFacts(outcome([...own, ...others]), { kind: 'alone', ...how }).run.broke).toEqual([])
})

test('takes a process that fails though its tests pass for a failure', () => {
  const own = [found('a')]
  const how = { kind: 'alone' as const, seed: null, own, knownFailures: new Set<string>() }
  expect(runFacts(outcome(own, { problem, coverage: { files: {} } }), how).run.outcome).toBe('failed')
})

test('keeps ten failures and the end of what was printed', () => {
  const own = Array.from({ length: 30 }, (_, index) => found(`test ${index}`, 'assertion'))
  const printed = `${'x'.repeat(9_000)}\nError: the end\n----\n`
  const how = { kind: 'alone' as const, seed: null, own, knownFailures: new Set<string>() }
  const facts = runFacts(outcome(own, { output: printed }), how)
  expect(facts.run.failures).toHaveLength(10)
  expect(facts.collected).toBe(30)
  expect(facts.words).toMatch(/x\nError: the end$/)
  expect(facts.words.length).toBeLessThanOrEqual(8_000)
})
