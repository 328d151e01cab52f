import { expect, test } from 'vitest'
import { diffRecords } from '../src/diff-records.ts'

test('tells what came, went and changed, by name', () => {
  expect(diffRecords({ b: 1, a: 1, d: 0 }, { b: 2, c: 1, d: 0 })).toEqual(['- a', '~ b', '+ c'])
})

test('the same records differ in nothing', () => {
  expect(diffRecords({ a: 1, b: 'x' }, { b: 'x', a: 1 })).toEqual([])
  expect(diffRecords({}, {})).toEqual([])
})

test('a number is not the text of it', () => {
  expect(diffRecords({ a: 1 }, { a: '1' })).toEqual(['~ a'])
})
