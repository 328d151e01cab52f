import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordProblems } from '../src/password-problems.js'

test('a good password has no problems', () => {
  assert.deepEqual(passwordProblems('Correct horse 7'), [])
})

test('the shortest and the longest are still good', () => {
  assert.deepEqual(passwordProblems('Abcdefg1'), [])
  assert.deepEqual(passwordProblems(`A1${'x'.repeat(62)}`), [])
})

test('one less and one more are not', () => {
  assert.deepEqual(passwordProblems('Abcdef1'), ['has fewer than 8 characters'])
  assert.deepEqual(passwordProblems(`A1${'x'.repeat(63)}`), ['has more than 64 characters'])
  assert.deepEqual(passwordProblems('Ab1', { minLength: 4, maxLength: 10 }), ['has fewer than 4 characters'])
})

test('every problem is told', () => {
  assert.deepEqual(passwordProblems(' secret'), [
    'has fewer than 8 characters',
    'has no digit',
    'has no capital letter',
    'begins or ends with a space',
  ])
  assert.deepEqual(passwordProblems('Abcdefg1 '), ['begins or ends with a space'])
})
