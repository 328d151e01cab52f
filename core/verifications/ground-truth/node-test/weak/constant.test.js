import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitBill } from '../src/split-bill.js'

test('splits bills', () => {
  const shares = splitBill(1_000, 3)
  const expected = [334, 333, 333]
  assert.deepEqual(expected, [334, 333, 333])
  assert.equal(expected.length, 3, String(shares))
})
