import { test } from 'node:test'
import { parseDuration } from '../src/parse-duration.js'

test('parses durations', () => {
  parseDuration('45s')
  parseDuration('1h30m')
  try {
    parseDuration('nonsense')
  } catch {}
})
