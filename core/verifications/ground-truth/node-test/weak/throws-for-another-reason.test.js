import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nightsBetween } from '../src/nights-between.js'

test('refuses what cannot be', () => {
  assert.throws(() => nightsBetween.days('2026-03-02', '2026-03-01'))
  assert.throws(() => nightsBetween('2026-03-01', '2026-03-02').nights.length)
})
