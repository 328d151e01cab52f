import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Stock } from '../src/stock.js'

function stocked() {
  const stock = new Stock()
  stock.add('cup', 3)
  stock.add('plate', 10)
  return stock
}

test('an unknown article has the amount 0', () => {
  assert.equal(stocked().amountOf('spoon'), 0)
})

test('adds to what is there', () => {
  const stock = stocked()
  stock.add('cup', 2)
  assert.equal(stock.amountOf('cup'), 5)
})

test('takes articles out, all of them too', () => {
  const stock = stocked()
  stock.take('cup', 3)
  assert.equal(stock.amountOf('cup'), 0)
})

test('refuses to take more than there is', () => {
  const stock = stocked()
  assert.throws(() => stock.take('cup', 4), /only 3 of cup/)
  assert.equal(stock.amountOf('cup'), 3)
})

test('lists what is scarce', () => {
  assert.deepEqual(stocked().scarce(10), ['cup'])
  assert.deepEqual(stocked().scarce(11), ['cup', 'plate'])
})
