import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateOf, setRate } from '../src/rates.js'

test('a rate can be changed', () => {
  setRate('standard', 21)
  assert.equal(rateOf('standard'), 21)
  assert.equal(rateOf('reduced'), 7)
})

test('nothing is taxed by more than all of it', () => {
  assert.throws(() => setRate('standard', 101), /101 is no rate/)
  assert.throws(() => setRate('standard', -1), /-1 is no rate/)
})
