import { expect, test } from 'vitest'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { failed, mutants, passed, restored, run, testFile } from '../../../engines/verdicts/change/testing.ts'
import type { OutcomeCase, TestFile } from '../../../engines/verdicts/outcome.ts'
import { findLateFailures, saysLate } from './late-failures.ts'
import type { Trying } from './stages.ts'

const step = { command: 'node --test', argv: ['node', '--test'], because: '', environment: {} }
const part = { directory: '', framework: 'node:test', test: step, targetCount: 0 } as unknown as PlanPart

/** A head whose tests now have these results, in the order of the runs. */
function headWith(tests: readonly TestFile[], ...results: OutcomeCase[][]): { trying: Trying; count: () => number } {
  let count = 0
  const layered = { run: () => Promise.resolve(run(results[count++] ?? [])) }
  const trying = {
    side: { parts: [part], layered, own: [], paths: [] },
    runs: { first: [] },
    tests: tests.length > 0 ? new Map([[part, tests]]) : new Map(),
    failures: new Set(['cart > always fails']),
    atOnce: 1,
  } as unknown as Trying
  return { trying, count: () => count }
}

const own = [{ path: testFile, code: '' }]
const nothing = { mutation: null, restored: [] }

test('a test of the change that fails on the unchanged head after the mutants is found', async () => {
  const { trying } = headWith(own, [failed('rounds'), failed('always fails'), passed('adds')])
  const late = await findLateFailures(trying, { ...nothing, mutation: mutants('killed') })
  expect(late).toMatchObject({ titles: new Set(['cart > rounds']), isOfChange: true, runs: [{}] })
  expect(late && saysLate(late)).toMatch(/^`cart > rounds` fails on the unchanged code after the mutants had run/)
})

test('tests that noticed nothing, or still pass, are not late', async () => {
  const quiet = headWith(own, [failed('rounds')])
  const survived = { mutation: mutants('survived'), restored: [restored()] }
  expect([await findLateFailures(quiet.trying, survived), quiet.count()]).toEqual([null, 0])
  const steady = headWith(own, [passed('rounds')])
  expect(await findLateFailures(steady.trying, { ...nothing, mutation: mutants('killed') })).toBeNull()
  expect(steady.count()).toBe(1)
})

test('other tests that noticed something run again, too', async () => {
  const late = [passed('rounds', { file: 'test/old.test.ts' }), failed('is quick', { file: 'test/old.test.ts' })]
  const { trying } = headWith([], late)
  const found = await findLateFailures(trying, { ...nothing, restored: [restored({ outcome: 'killed' })] })
  expect(found).toMatchObject({ titles: new Set(['cart > is quick']), isOfChange: false })
})
