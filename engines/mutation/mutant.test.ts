import { expect, test } from 'vitest'
import { testRunner } from '../processes/testing/runner.ts'
import { findMutants } from './find-mutants.ts'
import { changeNothing, makesText } from './mutant.ts'

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

test('tells whether the source with a mutant is a text', async () => {
  const [path, source] = ['a.js', 'export const isLarge = (n) => n >= 100\n']
  const mutants = await findMutants(testRunner, { path, source, lines: [[1, 1]] })
  const made = (text: string) => mutants.filter((mutant) => makesText(source, mutant, text)).length
  expect(made(source.replace('>=', '>'))).toBe(1)
  expect(made(source.replace('>=', '> '))).toBe(0)
  expect(made(source)).toBe(0)
})
