import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordProblems } from '../src/password-problems.js'

test('is a function', () => {
  assert.equal(typeof passwordProblems, 'function')
})
