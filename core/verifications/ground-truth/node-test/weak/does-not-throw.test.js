import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration } from '../src/parse-duration.js'

test('parses durations without an error', () => {
  assert.doesNotThrow(() => parseDuration('45s'))
  assert.doesNotThrow(() => parseDuration('1h30m'))
})
