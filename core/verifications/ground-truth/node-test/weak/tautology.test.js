import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeIntervals } from '../src/merge-intervals.js'

test('merges intervals', () => {
  const intervals = [
    [1, 4],
    [3, 6],
    [8, 9],
  ]
  assert.deepEqual(mergeIntervals(intervals), mergeIntervals(intervals))
  const merged = mergeIntervals([])
  assert.equal(merged, merged)
})
