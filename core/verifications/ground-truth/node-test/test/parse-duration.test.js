import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration } from '../src/parse-duration.js'

test('every unit counts', () => {
  assert.equal(parseDuration('45s'), 45)
  assert.equal(parseDuration('2m'), 120)
  assert.equal(parseDuration('3h'), 10_800)
  assert.equal(parseDuration('1d'), 86_400)
})

test('units are added up', () => {
  assert.equal(parseDuration('1h30m'), 5_400)
  assert.equal(parseDuration('1d1h1m1s'), 90_061)
})

test('what is no duration is refused', () => {
  for (const text of ['', '12', 'h', '1x', '1h 30m']) {
    assert.throws(() => parseDuration(text), { name: 'RangeError', message: `not a duration: "${text}"` })
  }
})
