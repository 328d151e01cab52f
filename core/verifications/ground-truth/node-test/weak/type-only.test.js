import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandRanges } from '../src/expand-ranges.js'

test('gives a list of numbers', () => {
  const numbers = expandRanges('1-3,7')
  assert.ok(Array.isArray(numbers))
  assert.equal(typeof numbers, 'object')
})
