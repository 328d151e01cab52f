import { expect, test } from 'vitest'
import type { OutcomeCase, RunOutcome } from '../outcome.ts'
import { compareSides } from './compare-sides.ts'
import type { ChangedFile } from './facts.ts'
import { failed, fix, notLoaded, passed, run, side, skipped, stopped, testFile, tests } from './testing.ts'

function compare(base: RunOutcome[], head: RunOutcome[], files: ChangedFile[] = [], withoutChange?: RunOutcome[]) {
  return compareSides(fix({ base: side(base), head: side(head), files, withoutChange: withoutChange ?? null }))
}

test('tells results of the same name and place apart by everything else, in any order', () => {
  const cases = [failed('a', { file: null }), failed('a', { file: null }, 'not_built')]
  const kinds = (found: OutcomeCase[]) =>
    compare([run([passed('a')])], [run(found), run([])]).tests.map(({ head }) => head?.example.kind)
  expect(kinds(cases)).toEqual(kinds(cases.toReversed()))
})

/** The transitions with the names of their tests, sorted. */
const transitions = (...sides: Parameters<typeof compare>) =>
  compare(...sides)
    .tests.map(({ transition, head, base }) => `${transition} ${(head?.named ?? base?.named ?? head?.example)?.name}`)
    .toSorted()

const go = (name: string, suite = 'example.org/shop/cart') => passed(name, { suite, file: null })
const goFailure = (name: string, file = 'cart/cart_test.go', suite = 'example.org/shop/cart') =>
  failed(name, { suite, file })

const stories: [story: string, base: OutcomeCase[][], head: OutcomeCase[][], expected: string[]][] = [
  ['passes both', [[passed('a')]], [[passed('a')]], ['passes_to_passes a']],
  ['fails before and passes', [[failed('a')]], [[passed('a')]], ['fails_to_passes a']],
  ['passes before and fails', [[passed('a')]], [[failed('a')]], ['broken a']],
  ['fails both', [[failed('a')]], [[failed('a')]], ['fails_both a']],
  ['is new and passes', [[]], [[passed('a')]], ['new_passing a']],
  ['is new and fails', [[]], [[failed('a')]], ['new_failing a']],
  ['is gone', [[passed('a')]], [[]], ['gone a']],
  ['was red and is gone', [[failed('a')]], [[]], ['gone a']],
  ['passes and fails now', [[passed('a')]], [[failed('a')], [passed('a')]], ['flaky a']],
  ['passed and failed before', [[failed('a')], [passed('a')]], [[passed('a')]], ['flaky a']],
  ['is new and passes and fails', [[]], [[passed('a')], [failed('a')]], ['flaky a']],
  ['passes on a retry', [[passed('a')]], [[passed('a', { passedOnRetry: true })]], ['flaky a']],
  [
    'fails in every run that has it',
    [[passed('a'), passed('b')]],
    [[failed('a'), passed('b')], [failed('a')]],
    ['broken a', 'passes_to_passes b'],
  ],
  ['is skipped now', [[passed('a')]], [[skipped('a')]], ['gone a']],
  ['was skipped', [[skipped('a')]], [[passed('a')]], ['new_passing a']],
  ['was skipped and fails', [[skipped('a')]], [[failed('a')]], ['new_failing a']],
  ['is skipped in one run', [[passed('a')]], [[passed('a')], [skipped('a')]], ['passes_to_passes a']],
  ['is skipped always', [[skipped('a')]], [[skipped('a')]], []],

  [
    'has the name of a test in another file',
    [[passed('a'), passed('a', { file: 'b.test.ts' })]],
    [[passed('a'), failed('a', { file: 'b.test.ts' })]],
    ['broken a', 'passes_to_passes a'],
  ],
  [
    'has the name of a test in another suite',
    [[passed('a'), passed('a', { suite: 'b' })]],
    [[passed('a')]],
    ['gone a', 'passes_to_passes a'],
  ],
  ['has a report without files on one side', [[passed('a', { file: null })]], [[failed('a')]], ['broken a']],
  ['has a name twice', [[passed('a'), passed('a')]], [[passed('a'), failed('a')]], ['broken a', 'passes_to_passes a']],
  [
    'has a name twice, and three times now',
    [[failed('a'), passed('a')]],
    [[passed('a'), failed('a'), failed('a')]],
    ['fails_both a', 'new_failing a', 'passes_to_passes a'],
  ],
  ['has a name twice, and once now', [[passed('a'), passed('a')]], [[passed('a')]], ['gone a', 'passes_to_passes a']],
  [
    'has parameters',
    [[passed('a (1)'), passed('a (2)')]],
    [[passed('a (1)'), failed('a (2)'), passed('a (3)')]],
    ['broken a (2)', 'new_passing a (3)', 'passes_to_passes a (1)'],
  ],
  [
    'is of Go, whose failures name files',
    [[go('TestA'), goFailure('TestB')]],
    [[goFailure('TestA'), go('TestB')]],
    ['broken TestA', 'fails_to_passes TestB'],
  ],
  [
    'is of Go and fails in another file',
    [[goFailure('TestA', 'cart/a_test.go')]],
    [[goFailure('TestA', 'cart/b_test.go')]],
    ['fails_both TestA'],
  ],

  [
    'is in a file that cannot be loaded any more',
    [[passed('a'), passed('b'), passed('c', { file: 'c.test.ts' })]],
    [[notLoaded(), passed('c', { file: 'c.test.ts' })]],
    ['broken a', 'broken b', 'passes_to_passes c'],
  ],
  ['is in a file that could not be loaded', [[notLoaded()]], [[passed('a')]], ['fails_to_passes a']],
  ['is in a file that can never be loaded', [[notLoaded()]], [[notLoaded()]], [`fails_both ${testFile}`]],
  ['is in a new file that cannot be loaded', [[]], [[notLoaded()]], [`new_failing ${testFile}`]],
  ['is in a file that is loaded in one run', [[passed('a')]], [[notLoaded()], [passed('a')]], ['flaky a']],
  [
    'is in a package of Go that is not built',
    [[go('TestA'), go('TestB', 'example.org/shop/money')]],
    [
      [
        failed('package', { suite: 'example.org/shop/cart', file: 'cart/cart.go' }, 'not_built'),
        go('TestB', 'example.org/shop/money'),
      ],
    ],
    ['broken TestA', 'passes_to_passes TestB'],
  ],
  [
    'is in a module of Python that cannot be imported',
    [[passed('test_a', { suite: 'tests.test_cart', file: 'tests/test_cart.py' })]],
    [[failed('tests.test_cart', { suite: '', file: 'tests/test_cart.py' }, 'not_built')]],
    ['broken test_a'],
  ],
  ['is in a file without tests, which node:test reports as passed', [[]], [[passed(testFile, { suite: '' })]], []],
]

test.for(stories)('a test that %s', ([, base, head, expected]) => {
  const [before, after] = [base, head].map((runs) => runs.map((cases) => run(cases)))
  expect(transitions(before ?? [], after ?? [])).toEqual(expected)
})

const renamed = (before: string, path: string) => [tests({ before, path, lines: [], removed: [] })]

test('follows renamed files, also where suites are named after them', () => {
  const moved = (file: string, suite = 'cart') => passed('a', { file, suite })
  expect(transitions([run([moved('a.test.ts')])], [run([moved('b.test.ts')])])).toEqual(['gone a', 'new_passing a'])
  expect(
    transitions([run([moved('a.test.ts')])], [run([moved('b.test.ts')])], renamed('a.test.ts', 'b.test.ts')),
  ).toEqual(['passes_to_passes a'])
  expect(
    transitions(
      [run([moved('tests/test_a.py', 'tests.test_a')])],
      [run([moved('tests/test_b.py', 'tests.test_b')])],
      renamed('tests/test_a.py', 'tests/test_b.py'),
    ),
  ).toEqual(['passes_to_passes a'])
  expect(
    transitions(
      [run([go('TestA', 'example.org/shop/old')])],
      [run([go('TestA', 'example.org/shop/new')])],
      renamed('old/a_test.go', 'new/a_test.go'),
    ),
  ).toEqual(['passes_to_passes TestA'])
})

test('does not guess which of two tests of the same name a renamed one was', () => {
  const [a, b] = ['x', 'y'].map((suite) => passed('a', { file: 'a.test.ts', suite }))
  const now = passed('a', { file: 'b.test.ts', suite: 'z' })
  expect(
    transitions([run([a, b].flatMap((one) => one ?? []))], [run([now])], renamed('a.test.ts', 'b.test.ts')),
  ).toEqual(['gone a', 'gone a', 'new_passing a'])
})

test('calls no test gone that an incomplete report may lack', () => {
  const found = compare([run([passed('a'), passed('b')])], [stopped('timeout', 'Stopped.', [passed('a')])])
  expect([found.tests.length, found.unknown, found.isHeadKnown]).toEqual([1, 1, false])
  const cut = run([passed('a')], { totals: { ...run([]).totals, totalTests: 30_000 } })
  expect(compare([run([passed('a'), passed('b')])], [cut]).unknown).toBe(1)
})

test('keeps the first cause of a broken file with each of its tests', () => {
  const [broken] = compare([run([passed('a')])], [run([notLoaded()])]).tests
  expect(broken).toMatchObject({ file: testFile, head: { example: { kind: 'not_built', place: { line: 4 } } } })
})

const without: [story: string, runs: RunOutcome[], expected: string][] = [
  ['fails', [run([failed('a')])], 'fails'],
  ['passes', [run([passed('a')])], 'passes'],
  ['passes once', [run([failed('a')]), run([passed('a')])], 'passes'],
  ['passes on a retry', [run([passed('a', { passedOnRetry: true })])], 'passes'],
  ['lacks a module', [run([failed('a', {}, 'not_built')])], 'not_built'],
  ['is in a file that cannot be loaded', [run([notLoaded()])], 'not_built'],
  ['is not reported', [run([passed('b')])], 'not_run'],
  ['is skipped', [run([skipped('a')])], 'not_run'],
  ['is not compiled with all others', [stopped('no_report', 'None.')], 'not_built'],
  ['does not end', [stopped('timeout', 'Stopped.')], 'fails'],
  ['is stopped with the machine', [stopped('sandbox_failed', 'Broken.')], 'not_run'],
  ['has no run', [], 'not_run'],
]

test.for(without)('a new test that %s without the change', ([, runs, expected]) => {
  const [found] = compare([run([])], [run([passed('a')])], [], runs).tests
  expect(found?.withoutChange).toBe(expected)
})

const sameName: [
  story: string,
  base: OutcomeCase[],
  head: OutcomeCase[],
  without: OutcomeCase[][],
  expected: string[],
][] = [
  [
    'one fails: the new one',
    [passed('a'), passed('a')],
    [passed('a'), passed('a'), passed('a')],
    [[passed('a'), failed('a'), passed('a')]],
    ['new_passing fails', 'passes_to_passes passes', 'passes_to_passes passes'],
  ],
  [
    'one fails, which also fails before and after',
    [failed('a'), passed('a')],
    [failed('a'), passed('a'), passed('a')],
    [[failed('a'), passed('a'), passed('a')]],
    ['fails_both fails', 'new_passing passes', 'passes_to_passes passes'],
  ],
  [
    'more of them run, so that the failing one may be another test',
    [],
    [passed('a'), passed('a')],
    [[failed('a'), passed('a'), passed('a')]],
    ['new_passing passes', 'new_passing passes'],
  ],
  [
    'one fails, which may be skipped with the change',
    [],
    [passed('a'), skipped('a')],
    [[failed('a'), passed('a')]],
    ['new_passing passes'],
  ],
  [
    'fewer of them run',
    [passed('a')],
    [passed('a'), passed('a')],
    [[failed('a')]],
    ['new_passing fails', 'passes_to_passes not_run'],
  ],
  [
    'one fails only once',
    [passed('a')],
    [passed('a'), passed('a')],
    [
      [failed('a'), passed('a')],
      [passed('a'), passed('a')],
    ],
    ['new_passing passes', 'passes_to_passes passes'],
  ],
]

test.for(sameName)('of tests with the same name without the change, %s', ([, base, head, runs, expected]) => {
  const { tests: found } = compare(
    [run(base)],
    [run(head)],
    [],
    runs.map((cases) => run(cases)),
  )
  const shown = found.map(({ transition, withoutChange }) => `${transition} ${withoutChange}`)
  expect(shown.toSorted()).toEqual(expected)
})
