import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateOf } from '../src/rates.js'

test('the usual rate', () => assert.equal(rateOf('standard'), 19))
test('a rate that nobody knows', () => assert.throws(() => rateOf('none'), RangeError))
