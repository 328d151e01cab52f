import { expect, test } from 'vitest'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { failed, passed, run } from '../../../engines/verdicts/change/testing.ts'
import type { OutcomeCase } from '../../../engines/verdicts/outcome.ts'
import { failingOnBoth, restrictionsOf } from './repeat.ts'

const step = { command: 'node --test', argv: ['node', '--test'], because: '', environment: {} }
const part = {
  directory: '',
  ecosystem: 'javascript',
  framework: 'node:test',
  test: step,
  targetCount: 0,
} as unknown as PlanPart

const side = (cases: readonly OutcomeCase[], of: PlanPart = part) => ({ first: [{ part: of, outcome: run(cases) }] })
const inFile = (file: string, durationMs: number | null = 5) => ({ file, durationMs })

/** Returns the files that run again on the head. */
function filesOf(head: readonly OutcomeCase[], base: readonly OutcomeCase[], of: PlanPart = part): string[] {
  const [own, other] = [side(head, of), side(base, of)]
  const restrictions = restrictionsOf(own, other, new Map(), failingOnBoth(own, other))
  return [...restrictions.values()].flatMap(({ files }) => files.map(({ path }) => path)).toSorted()
}

test('a test that fails on both sides runs again, because it may be flaky', () => {
  const cases = [failed('waits', inFile('a.test.js')), passed('adds', inFile('b.test.js'))]
  expect(filesOf(cases, cases)).toEqual(['a.test.js'])
})

test('tests that cannot be loaded on either side do not run again', () => {
  const cases = [failed('a.test.js', inFile('a.test.js'), 'not_built')]
  expect(filesOf(cases, cases)).toEqual([])
})

test('few of the tests that fail on both sides run again, the fastest, and all whose results differ', () => {
  const broken = Array.from({ length: 500 }, (_, at) => failed(`fails ${at}`, inFile(`${at}.test.js`, 1 + (at % 50))))
  const fixed = passed('rounds', inFile('fixed.test.js', 60_000))
  const again = filesOf([...broken, fixed], [...broken, failed('rounds', inFile('fixed.test.js'))])
  expect(again).toHaveLength(11)
  expect(again).toContain('fixed.test.js')
  expect(again).toContain('450.test.js')
})

test('slow tests that fail on both sides do not run again', () => {
  const slow = [failed('times out', inFile('a.test.js', 4)), passed('is slow', inFile('a.test.js', 60_000))]
  const unknown = [failed('fails', inFile('b.test.js', null))]
  const quick = [failed('fails soon', inFile('c.test.js'))]
  const cases = [...slow, ...unknown, ...quick]
  expect(filesOf(cases, cases)).toEqual(['b.test.js', 'c.test.js'])
  const [own, other] = [slow, slow].map((all) => side([...all, ...unknown]))
  if (own?.first[0]) own.first[0].outcome.execution.usage.wallMs = 120_000
  expect(own && other && failingOnBoth(own, other)).toEqual(new Set())
})

test('a runner that cannot run some of its tests repeats all of them only if they are fast', () => {
  const cases = [failed('fails', inFile('a.test.js'))]
  const custom: PlanPart = { ...part, framework: null }
  expect(filesOf(cases, cases, custom)).toEqual(['a.test.js'])
  const slow = side(cases, custom)
  if (slow.first[0]) slow.first[0].outcome.execution.usage.wallMs = 120_000
  expect(failingOnBoth(slow, slow)).toEqual(new Set())
})
