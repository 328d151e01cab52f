import { expect, test } from 'vitest'
import { diffRecords } from '../src/diff-records.ts'

test('tells what changed', () => {
  expect(diffRecords({ a: 1, b: 1 }, { b: 2, c: 1 })).toMatchSnapshot()
})
