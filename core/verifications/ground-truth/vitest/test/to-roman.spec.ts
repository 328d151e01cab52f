import { expect, test } from 'vitest'
import { toRoman } from '../src/to-roman.ts'

test.each([
  [1, 'I'],
  [3, 'III'],
  [4, 'IV'],
  [9, 'IX'],
  [14, 'XIV'],
  [40, 'XL'],
  [90, 'XC'],
  [400, 'CD'],
  [1994, 'MCMXCIV'],
  [2026, 'MMXXVI'],
  [3999, 'MMMCMXCIX'],
])('%d is %s', (number, roman) => {
  expect(toRoman(number)).toBe(roman)
})

test.each([0, -1, 4000, 1.5])('there is none for %d', (number) => {
  expect(() => toRoman(number)).toThrow(`no Roman numeral for ${number}`)
})
