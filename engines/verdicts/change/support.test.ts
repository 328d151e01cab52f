import { expect, test } from 'vitest'
import type { RunOutcome } from '../outcome.ts'
import { judgeChange } from './judge-change.ts'
import { failed, fix, passed, refactoring, run, stopped } from './testing.ts'

const judged = (runs: RunOutcome[], of = fix) => judgeChange(of({ support: { files: ['conftest.py'], runs } }))
const intro = 'The change edits conftest.py, which can alter what the runner reports.'
const all = [passed('adds'), passed('rounds')]

test('a test that passes only with a file of the change that the runner loads proves nothing', () => {
  const { verdict, evidence } = judged([run([passed('adds'), failed('rounds')])])
  expect([verdict, evidence.reason]).toEqual(['unproved', 'support_decides'])
  expect(evidence.summary).toBe(
    '`cart > rounds` (test/cart.test.ts:22) passes only with conftest.py of the change. With the files of the base it fails: expected 2 to be 3. Make it pass without the changed files, which can alter what the runner reports.',
  )
  expect(evidence.warnings).toContain(intro)
  expect(judged([run([failed('adds')])], refactoring).evidence.reason).toBe('support_decides')
})

test('a test that passes once without these files does not depend on them', () => {
  const { verdict, evidence } = judged([run([passed('adds'), failed('rounds')]), run(all)])
  expect(verdict).toBe('proved')
  expect(evidence.warnings).toContain(`${intro} The tests that pass with these edits also pass without them.`)
})

test('a test that needs these files is named in a warning', () => {
  const needed = `${intro} 1 test cannot run without these edits, so nothing else confirms its result: \`cart > rounds\`.`
  for (const runs of [
    [run([passed('adds')])],
    [run([passed('adds'), failed('rounds', { message: "fixture 'shop' not found" }, 'crash_in_test')])],
  ]) {
    const { verdict, evidence } = judged(runs)
    expect(verdict).toBe('proved')
    expect(evidence.warnings).toContain(needed)
  }
})

test('files that the base cannot replace are named apart', () => {
  const support = { files: ['conftest.py'], kept: ['pytest.ini'], runs: [run(all)] }
  const { evidence } = judgeChange(fix({ support }))
  expect(evidence.warnings).toEqual([
    `${intro} The tests that pass with these edits also pass without them.`,
    'The change edits pytest.ini, which can alter what the runner reports. Assay could not run the tests without these edits.',
  ])
  const alone = judgeChange(fix({ support: { files: [], kept: ['pytest.ini'], runs: [] } }))
  expect(alone.evidence.warnings).toEqual(evidence.warnings.slice(1))
})

test('without a run with the files of the base, a warning says so', () => {
  for (const runs of [[], [stopped('no_report', 'None.')], [run([failed('adds', {}, 'not_built')])]]) {
    const { verdict, evidence } = judged(runs)
    expect(verdict).toBe('proved')
    expect(evidence.warnings).toContain(`${intro} Assay could not run the tests without these edits.`)
  }
  expect(judgeChange(fix()).evidence.warnings.join()).not.toContain('runner reports')
})
