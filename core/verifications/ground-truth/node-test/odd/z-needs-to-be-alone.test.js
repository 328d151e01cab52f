import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteVisit } from '../src/visits.js'

test('visits are counted from one', () => {
  assert.equal(noteVisit('ada'), 1)
  assert.equal(noteVisit('bob'), 2)
})
