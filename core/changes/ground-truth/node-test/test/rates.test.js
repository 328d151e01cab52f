import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateOf } from '../src/rates.js'

test('knows the rates of books and of unknown articles', () => {
  assert.equal(rateOf('book'), 7)
  assert.equal(rateOf('umbrella'), 19)
})
