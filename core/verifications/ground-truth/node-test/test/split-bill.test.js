import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitBill } from '../src/split-bill.js'

test('an even bill has even shares', () => {
  assert.deepEqual(splitBill(900, 3), [300, 300, 300])
})

test('the first ones pay the odd cents', () => {
  assert.deepEqual(splitBill(1_000, 3), [334, 333, 333])
  assert.deepEqual(splitBill(1_001, 3), [334, 334, 333])
})

test('nothing is lost, whatever the number of people', () => {
  for (let people = 1; people <= 12; people++) {
    const shares = splitBill(997, people)
    assert.equal(shares.length, people)
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      997,
    )
  }
})

test('somebody has to pay', () => {
  assert.throws(() => splitBill(100, 0), RangeError)
  assert.throws(() => splitBill(100, 1.5), RangeError)
})
