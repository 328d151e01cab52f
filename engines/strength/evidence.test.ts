import { expect, test } from 'vitest'
import type { Mutant } from '../mutation/mutant.ts'
import type { MutationOperator } from '../mutation/schema.ts'
import { readEvent } from './events.ts'
import { cancelledEvidence, evidenceOf, type Measured, verdictOf } from './evidence.ts'
import { Tally } from './tally.ts'

const mutant = (line: number, operator: MutationOperator): Mutant => ({
  path: 'src/queue.ts',
  line,
  operator,
  original: `code of ${line}`,
  replacement: ';',
  start: line * 100,
  end: line * 100 + 5,
})

const reach = (test: string, ...probes: number[]) => ({
  kind: 'reach',
  file: 'test/queue.test.ts',
  test,
  ms: 1,
  failed: false,
  probes,
})
const survived = (id: number) => ({ kind: 'decided', id, outcome: 'survived' })
const ready = (tests: number) => ({ kind: 'ready', tests, failed: 0, isComplete: true })
const end = { kind: 'end', isComplete: true }

/** What is known of mutants with the ids from 1 after some events. */
function measured(mutants: readonly Mutant[], events: readonly object[], how: Partial<Measured> = {}): Measured {
  const numbered = mutants.map((mutant, index) => ({ id: index + 1, mutant }))
  const tally = new Tally({ probes: new Map(numbered.map(({ id }) => [id, id])) })
  tally.beginPart({ loadsLast: true })
  for (const event of events) {
    const read = readEvent(JSON.stringify(event))
    if (read) tally.take(read)
  }
  return {
    mutants: numbered,
    tally,
    placeOf: () => ({ column: 1, context: null, symbol: 'push', case: null }),
    pathOf: (file) => file,
    sample: { tried: 0, disagreed: 0 },
    warnings: [],
    isRunning: false,
    limits: { paths: [], since: null },
    isUnchanged: false,
    durationMs: 1,
    ...how,
  }
}

test('the nearest test of a change is one for which its function does not throw', () => {
  const mutants = [mutant(2, 'removed_throw'), mutant(3, 'removed_call'), mutant(8, 'return'), mutant(9, 'arithmetic')]
  const events = [reach('is full', 1, 2), reach('pushes', 2, 3, 4), ready(2), survived(1), survived(2), end]
  const nearest = (how: Partial<Measured> = {}) =>
    evidenceOf(measured(mutants, events, how)).survivors.map(({ line, nearestTest }) => [line, nearestTest?.name])
  expect(nearest()).toEqual([
    [2, 'is full'],
    [3, 'pushes'],
  ])
  // A change of the error path is nearest to the test of the error.
  const ofError = { id: 'c', condition: 'isFull', outcome: 'throws' } as const
  expect(nearest({ placeOf: () => ({ column: 1, context: null, symbol: 'push', case: ofError }) })).toEqual([
    [2, 'is full'],
    [3, 'is full'],
  ])
})

test('lists the lines that no test runs as soon as the tests have run', () => {
  const mutants = [mutant(2, 'condition'), mutant(7, 'condition'), mutant(7, 'boundary'), mutant(9, 'return')]
  const files = [{ path: 'src/queue.ts', changes: 3, lines: 2, at: [7, 9] }]
  const { unreached } = evidenceOf(measured(mutants, [reach('pushes', 1), ready(1), end]))
  expect(unreached).toEqual({ changes: 3, lines: 2, files })
  expect(evidenceOf(measured(mutants, [])).unreached).toEqual({ changes: 0, lines: 0, files: [] })
})

test('counts the survivors that it does not list', () => {
  const mutants = Array.from({ length: 203 }, (_, index) => mutant(index + 1, 'condition'))
  const ids = mutants.map((_, index) => index + 1)
  const evidence = evidenceOf(measured(mutants, [reach('runs all', ...ids), ready(1), ...ids.map(survived), end]))
  expect(evidence).toMatchObject({ survived: 203, survivorsLeftOut: 3 })
  expect(evidence.survivors).toHaveLength(200)
})

test('a measurement that has not come to its end says so', () => {
  const mutants = [mutant(2, 'condition'), mutant(3, 'condition')]
  const running = evidenceOf(measured(mutants, [reach('pushes', 1, 2), ready(1), survived(1)], { isRunning: true }))
  expect([running.reason, verdictOf(running)]).toEqual(['running', 'partial'])
  expect(running.summary).toContain(' 1 more were not tried yet.')
  const cancelled = cancelledEvidence(running)
  expect(cancelled).toMatchObject({ reason: 'cancelled', survived: 1 })
  expect(cancelled.summary).toMatch(/ 1 more were not tried\. The measurement was cancelled\.$/)
  const early = evidenceOf(measured(mutants, [], { isRunning: true }))
  expect(early.summary).toBe('The code has 2 places that Assay can change. None was tried yet.')
})

test.each([
  [[], 'main', 'No code has changed since main.'],
  [['src/money'], 'HEAD', 'No code in src/money has changed since HEAD.'],
  [['a', 'b', 'c', 'd'], 'a'.repeat(40), 'No code in a, b, c and 1 more has changed since aaaaaaaaaa.'],
])('of %j since %s it says: %s', (paths, since, summary) => {
  const evidence = evidenceOf(measured([], [], { isUnchanged: true, limits: { paths, since } }))
  expect(evidence).toMatchObject({ reason: 'no_code_changed', summary })
})
