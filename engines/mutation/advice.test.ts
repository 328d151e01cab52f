import { expect, test } from 'vitest'
import type { MutationOperator } from './schema.ts'
import { adviceOn } from './advice.ts'

test.each<[MutationOperator, string, string, string]>([
  ['boundary', 'age >= 18', 'age > 18', 'Assert what happens where `age` equals `18`.'],
  ['boundary', '0', '1', 'Assert a result that differs between `0` and `1`.'],
  ['condition', 'false', 'true', 'Assert a result that differs between `false` and `true`.'],
  ['condition', 'a || b > 0', 'a && b > 0', 'Assert a result where only one side of `a || b > 0` is true.'],
  ['condition', 'a and b', 'a or b', 'Assert a result where only one side of `a and b` is true.'],
  ['condition', 'isOpen', '!isOpen', 'Assert a result that differs where `isOpen` is true and where it is false.'],
  [
    'removed_throw',
    "throw new Error('x')",
    ';',
    "Assert that the error of `throw new Error('x')` is thrown, and not another one: check its message.",
  ],
  ['removed_call', 'log.clear()', ';', 'Assert what `log.clear()` does.'],
  ['return', '`a${b}`', "''", "Assert the value that is returned, `'a${b}'`."],
])('%s: %s', (operator, original, replacement, advice) => {
  expect(adviceOn({ path: 'a.ts', line: 1, operator, original, replacement })).toBe(advice)
})

test('a literal is named with its line, and an error of Python is raised', () => {
  const literal = { path: 'a.ts', line: 1, operator: 'boundary', original: '0', replacement: '1' } as const
  const context = { original: 'let i = 0, end = 0', replacement: 'let i = 0, end = 1' }
  expect(adviceOn(literal, context)).toBe(
    'Assert a result that differs between `let i = 0, end = 0` and `let i = 0, end = 1`.',
  )
  const raised = {
    path: 'a.py',
    line: 1,
    operator: 'removed_throw',
    original: 'raise ValueError()',
    replacement: 'pass',
  } as const
  expect(adviceOn(raised)).toContain('is raised')
})
