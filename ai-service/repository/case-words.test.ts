import { expect, test } from 'vitest'
import type { Case } from './facts.ts'
import { describeCase, titleOfCase } from './case-words.ts'

const given = (outcome: Case['outcome'], condition: string, result: string): Case => ({
  id: '1a2b3c4d',
  line: 3,
  condition,
  outcome,
  result,
  covered: null,
})

test('says of panics what they are given', () => {
  expect(titleOfCase(given('throws', 'err != nil', 'panic: err'), 'go')).toBe('panics with err where err != nil')
  expect(titleOfCase(given('throws', 'n == 0', 'panic (unreachable!)'), 'rust')).toBe(
    'panics (unreachable!) where n == 0',
  )
  expect(describeCase(given('throws', 'err != nil', 'panic: err'), 'a.go')).toBe(
    'panics with `err` where `err != nil` (line 3)',
  )
})

test('says of handlers that throw or return where they do', () => {
  const handler = 'catch (error) around read()'
  expect(titleOfCase(given('throws', handler, 'SyntaxError: no'), 'typescript')).toBe(
    'throws SyntaxError: no in catch (error) around read()',
  )
  expect(titleOfCase(given('returns', 'except A around read()', 'None'), 'python')).toBe(
    'returns None in except A around read()',
  )
})
