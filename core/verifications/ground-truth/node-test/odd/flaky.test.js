import assert from 'node:assert/strict'
import { test } from 'node:test'
import { truncate } from '../src/truncate.js'

test('a text of any length is cut', () => {
  const length = Math.floor(Math.random() * 3)
  assert.equal(truncate('coffee', length).length, Math.max(length, 1))
})
