import { expect, test } from 'vitest'
import type { VerificationRun } from '../engines/verdicts/schema.ts'
import { differentFailures, provisionalAdvice } from './verification-words.ts'

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

test('only an accepted test can get a worse verdict, so that nobody waits for the end of another one', () => {
  const words = { keep: 'Keep it', wait: 'Ask again.', advice: 'Assert more.' }
  expect(provisionalAdvice({ verdict: 'accepted' }, words)).toBe(
    'The verdict is provisional: the test can still turn out to be flaky. Keep it, and continue with your work. Ask again.',
  )
  expect(provisionalAdvice({ verdict: 'no_gain' }, words)).toBe(
    'The verdict is provisional, but more runs cannot improve it, so do not wait for them. Assert more.',
  )
})
