import assert from 'node:assert/strict'
import { test } from 'node:test'
import { binarySearch } from '../src/binary-search.js'

const values = [2, 3, 5, 7, 11, 13]

test('every value is found where it is', () => {
  for (const [index, value] of values.entries()) assert.equal(binarySearch(values, value), index)
})

test('what is not there is not found', () => {
  for (const value of [1, 4, 6, 12, 14]) assert.equal(binarySearch(values, value), -1)
})

test('a list of one, and of none', () => {
  assert.equal(binarySearch([4], 4), 0)
  assert.equal(binarySearch([4], 5), -1)
  assert.equal(binarySearch([], 4), -1)
})
