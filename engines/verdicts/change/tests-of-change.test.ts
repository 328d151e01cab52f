import { expect, test } from 'vitest'
import type { OutcomeCase } from '../outcome.ts'
import { compareSides } from './compare-sides.ts'
import type { ChangeFacts } from './facts.ts'
import { testsOfChange } from './tests-of-change.ts'
import { failed, fix, notLoaded, passed, run, side, tests } from './testing.ts'

function ofChange(base: OutcomeCase[], head: OutcomeCase[], change: Partial<ChangeFacts> = {}): string[] {
  const facts = fix({ base: side([run(base)]), head: side([run(head)]), withoutChange: null, ...change })
  return testsOfChange(compareSides(facts), facts)
    .flatMap(({ isOfChange, head: now, line }) => (isOfChange ? `${isOfChange} ${now?.example.name}:${line}` : []))
    .toSorted()
}

const at = (name: string, line: number) => passed(name, { line })

test('takes new tests of changed files for added, with edited ones by their lines', () => {
  const base = [at('a', 3), at('b', 10), at('c', 16)]
  const head = [at('a', 3), at('b', 10), at('c', 18)]
  expect(ofChange(base, head, { files: [tests({ lines: [[12, 13]] })] })).toEqual(['changed b:10'])
})

test('gives the lines around a new test to the new test', () => {
  const base = [at('a', 3), at('b', 10)]
  const head = [at('a', 3), at('new', 8), at('b', 15)]
  // The diff begins with the end of the test before it.
  expect(ofChange(base, head, { files: [tests({ lines: [[6, 12]] })] })).toEqual(['added new:8'])
})

test('gives a new row of a table to its case', () => {
  const base = [at('adds 1', 3), at('adds 2', 3)]
  expect(ofChange(base, [...base, at('adds 3', 3)], { files: [tests({ lines: [[6, 6]] })] })).toEqual([
    'added adds 3:3',
  ])
})

test('does not take tests for changed because an import or a helper changed', () => {
  expect(ofChange([at('a', 3)], [at('a', 4)], { files: [tests({ lines: [[1, 1]] })] })).toEqual([])
})

test('takes a test for changed that fails without the change, whatever its lines', () => {
  const withoutChange = [run([failed('a', { line: 4 })])]
  const files = [tests({ lines: [[1, 1]] })]
  expect(ofChange([at('a', 3)], [at('a', 4)], { files, withoutChange })).toEqual(['changed a:4'])
})

test('does not take a test for changed that the code breaks, in a file with new tests', () => {
  const base = [at('a', 3)]
  const head = [failed('a', { line: 3 }), at('new', 22)]
  const changed = { files: [tests()] }
  const without = (found: OutcomeCase) => [run([found, passed('new', { line: 22 })])]
  expect(ofChange(base, head, { ...changed, withoutChange: without(at('a', 3)) })).toEqual(['added new:22'])
  // The new test needs new code, so nothing of the file can be loaded without the change.
  expect(ofChange(base, head, { ...changed, withoutChange: [run([notLoaded()])] })).toEqual(['added new:22'])
  // A helper in the test file changed.
  const withHelper = without(failed('a', { line: 3 }))
  expect(ofChange(base, head, { ...changed, withoutChange: withHelper })).toEqual(['added new:22', 'changed a:3'])
})

test('takes all tests of a new file for added, also without results of the base', () => {
  const files = [tests({ change: 'added', before: null, lines: [[1, 2 ** 31]] })]
  expect(ofChange([], [passed('a')], { files })).toEqual(['added a:null'])
  expect(ofChange([], [passed('a')], { files, base: side([]) })).toEqual(['added a:null'])
})

test('asks the lines where the results of the base are not known', () => {
  const head = [at('a', 3), at('b', 22), passed('c')]
  expect(ofChange([], head, { files: [tests()], base: side([]) })).toEqual(['added b:22', 'changed c:null'])
})

test('takes no test of an unchanged file for one of the change', () => {
  expect(ofChange([], [passed('a', { file: 'test/other.test.ts' })])).toEqual([])
})

test('takes new tests of reports without files for added, and edited ones by their result without the change', () => {
  const nowhere = (name: string) => passed(name, { file: null, suite: '' })
  const withoutChange = [run([failed('b', { file: null, suite: '' })])]
  expect(ofChange([nowhere('a'), nowhere('b')], [nowhere('a'), nowhere('b'), nowhere('c')], { withoutChange })).toEqual(
    ['added c:null', 'changed b:null'],
  )
})

test('finds tests of Go by their functions', () => {
  const go = (name: string, suite = 'example.org/shop/cart') => passed(name, { suite, file: null })
  const path = 'cart/cart_test.go'
  const source = 'package cart\n\nfunc TestA(t *testing.T) {\n}\n\nfunc TestB(t *testing.T) {\n\tt.Fatal()\n}\n'
  const files = [tests({ path, before: path, lines: [[7, 7]] })]
  const base = [go('TestA'), go('TestB/one'), go('TestB', 'example.org/shop/money')]
  expect(ofChange(base, [...base, go('TestB/two')], { files, sources: new Map([[path, source]]) })).toEqual([
    'added TestB/two:6',
  ])
  expect(ofChange(base, base, { files, sources: new Map([[path, source]]) })).toEqual(['changed TestB/one:6'])
})
