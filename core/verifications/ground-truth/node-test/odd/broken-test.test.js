import assert from 'node:assert/strict'
import { test } from 'node:test'
import { truncate } from '../src/truncate.js'

test('texts of the sample are cut', () => {
  const sample = undefined
  for (const text of sample.texts) assert.equal(truncate(text, 3).length, 3)
})
