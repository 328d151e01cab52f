import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shorten } from '../src/truncate.js'

test('what fits stays as it is', () => {
  assert.equal(shorten('coffee', 6), 'coffee')
})
