import { expect, test } from 'vitest'
import { rateOf } from '../src/rates.ts'

test('the usual rate', () => expect(rateOf('standard')).toBe(19))
test('a rate that nobody knows', () => expect(() => rateOf('none')).toThrow(RangeError))
