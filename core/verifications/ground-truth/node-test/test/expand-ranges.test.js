import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandRanges } from '../src/expand-ranges.js'

test('both ends belong to a range', () => {
  assert.deepEqual(expandRanges('2-4'), [2, 3, 4])
  assert.deepEqual(expandRanges('5-5'), [5])
})

test('ranges and numbers are put together, sorted by size', () => {
  assert.deepEqual(expandRanges('10, 2-3,3'), [2, 3, 10])
})

test('what is no range is refused', () => {
  assert.throws(() => expandRanges('1-'), SyntaxError)
  assert.throws(() => expandRanges(''), SyntaxError)
  assert.throws(() => expandRanges('4-2'), { message: 'runs backwards: 4-2' })
})
