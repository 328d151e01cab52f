import { expect, test } from 'vitest'
import type { Evidence, Verdict, VerificationRun } from '../engines/verdicts/schema.ts'
import { differentFailures, provisionalAdvice, provisionalLine } from './verification-words.ts'

const runWith = (message: string): VerificationRun => ({
  kind: 'alone',
  order: 'default',
  seed: null,
  outcome: 'failed',
  durationMs: 1,
  failures: [{ test: 'adds', kind: 'assertion', message, file: 'test_cart.py', line: 4 }],
  broke: [],
})

test('takes failures for one that differ only in addresses and temporary files', () => {
  const runs = ['0x7f01ab', '0x7F99cd', '0x10'].map((at) => runWith(`assert <Cart object at ${at}> is None`))
  expect(differentFailures(runs)).toMatchObject([{ message: 'assert <Cart object at 0x7f01ab> is None', count: 3 }])
  const files = ['/tmp/pytest-1/cart.json', '/tmp/pytest-2/cart.json'].map((file) => runWith(`no such file: '${file}'`))
  expect(differentFailures(files)).toMatchObject([{ count: 2 }])
})

test('keeps failures with different values apart', () => {
  expect(differentFailures(['assert 2 == 3', 'assert 4 == 3'].map(runWith))).toHaveLength(2)
})

test('a provisional verdict says whether it is worth to wait for the final one', () => {
  const words = { keep: 'Keep it', wait: 'Ask again.', advice: 'Assert more.' }
  const adviceOn = (verdict: Verdict, notRun: NonNullable<Evidence['notRun']>, reason = 'kills_mutants') =>
    provisionalAdvice({ verdict, evidence: { reason, notRun } }, words)
  expect(adviceOn('accepted', ['repeats'])).toBe(
    'The verdict is provisional: the test can still turn out to be flaky. Keep it, and continue with your work. Ask again.',
  )
  expect(adviceOn('accepted', ['suite', 'repeats'])).toContain('flaky, or to fail with the other tests. Keep it')
  const waits = (what: string) => `The verdict is provisional: ${what} can improve it. Ask again.`
  const mutants = 'the mutants that are left'
  expect(adviceOn('no_gain', ['repeats', 'mutants'], 'no_assertion_noticed')).toBe(waits(mutants))
  expect(adviceOn('no_gain', ['repeats', 'mutants'], 'nothing_new')).toBe(waits(mutants))
  const comparison = 'the comparison with the other tests'
  expect(adviceOn('no_gain', ['comparison', 'repeats'], 'nothing_new')).toBe(waits(comparison))
  expect(adviceOn('no_gain', ['comparison', 'repeats', 'mutants'], 'nothing_new')).toBe(
    waits(`${comparison} and ${mutants}`),
  )
  const final = 'The verdict is provisional, but more runs cannot improve it, so do not wait for them. Assert more.'
  expect(adviceOn('no_gain', ['comparison', 'suite', 'repeats'], 'no_assertion_noticed')).toBe(final)
  expect(adviceOn('suspected_bug', ['comparison'], 'assertion_fails')).toBe(final)
})

test('a provisional verdict names what is open', () => {
  const evidence = { reason: 'kills_mutants', notRun: ['suite', 'repeats'] } as Evidence
  expect(provisionalLine({ verdict: 'accepted', evidence })).toBe(
    'Provisional: accepted. Still open: the runs with the other tests, the repeats.',
  )
})
