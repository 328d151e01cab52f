import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discounted, withTax } from '../src/price.js'

test('adds the tax', () => {
  assert.equal(withTax(1000, 19), 1190)
  assert.equal(withTax(0, 19), 0)
})

test('takes the discount off', () => {
  assert.equal(discounted(1000, 25), 750)
  assert.equal(discounted(999, 10), 899)
  assert.equal(discounted(1000, 0), 1000)
  assert.equal(discounted(1000, 100), 0)
})

test('refuses what is no discount', () => {
  assert.throws(() => discounted(1000, -1), /-1 percent is no discount/)
  assert.throws(() => discounted(1000, 101), /101 percent is no discount/)
})
