import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeIntervals } from '../src/merge-intervals.js'

test('what overlaps becomes one', () => {
  assert.deepEqual(
    mergeIntervals([
      [1, 4],
      [3, 6],
      [8, 9],
    ]),
    [
      [1, 6],
      [8, 9],
    ],
  )
})

test('what touches becomes one', () => {
  assert.deepEqual(
    mergeIntervals([
      [1, 2],
      [2, 3],
    ]),
    [[1, 3]],
  )
})

test('one inside of another changes nothing', () => {
  assert.deepEqual(
    mergeIntervals([
      [1, 10],
      [2, 3],
    ]),
    [[1, 10]],
  )
})

test('order plays no part, and the input is left alone', () => {
  const input = [
    [8, 9],
    [1, 2],
  ]
  assert.deepEqual(mergeIntervals(input), [
    [1, 2],
    [8, 9],
  ])
  assert.deepEqual(input, [
    [8, 9],
    [1, 2],
  ])
  assert.deepEqual(mergeIntervals([]), [])
})
