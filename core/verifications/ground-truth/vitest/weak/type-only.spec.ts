import { expect, test } from 'vitest'
import { toRoman } from '../src/to-roman.ts'

test('gives a text', () => {
  expect(typeof toRoman(14)).toBe('string')
  expect(toRoman(1994)).toEqual(expect.any(String))
})
