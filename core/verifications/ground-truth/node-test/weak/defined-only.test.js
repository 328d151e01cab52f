import assert from 'node:assert/strict'
import { test } from 'node:test'
import { truncate } from '../src/truncate.js'

test('cuts texts', () => {
  assert.notEqual(truncate('coffee', 3), undefined)
  assert.notEqual(truncate('tea', 3), null)
  assert.ok(truncate('tea', 0) !== undefined)
})
