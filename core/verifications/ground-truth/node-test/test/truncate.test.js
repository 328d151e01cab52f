import assert from 'node:assert/strict'
import { test } from 'node:test'
import { truncate } from '../src/truncate.js'

test('what fits stays as it is', () => {
  assert.equal(truncate('coffee', 6), 'coffee')
  assert.equal(truncate('', 3), '')
})

test('what does not fit is cut to the length', () => {
  assert.equal(truncate('coffee', 5), 'coff…')
  assert.equal(truncate('coffee', 1), '…')
})

test('no space is left before the dots', () => {
  assert.equal(truncate('black coffee', 7), 'black…')
})

test('no length leaves nothing', () => {
  assert.equal(truncate('coffee', 0), '')
})
