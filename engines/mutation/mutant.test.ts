import { expect, test } from 'vitest'
import { testRunner } from '../processes/testing/runner.ts'
import { findMutants } from './find-mutants.ts'
import { changeNothing } from './mutant.ts'

test.each([
  ['a.js', 'export const twice = (n) => n * 2\n', 'export const twice = (n) =>  n * 2\n// \n'],
  ['a.py', 'def twice(n):\n    return n * 2', 'def twice(n):\n    return  n * 2\n# \n'],
  ['a.js', 'start()', 'start()\n// \n'],
])(
  'a change of nothing in %s adds a space before an expression, and a comment at the end',
  async (path, source, changed) => {
    expect(changeNothing(path, source, await findMutants(testRunner, { path, source, lines: [[1, 99]] }))).toBe(changed)
  },
)
