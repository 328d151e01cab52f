import { expect, test } from 'vitest'
import type { VerificationRun } from '../engines/verdicts/schema.ts'
import { differentFailures } from './verification-words.ts'

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
