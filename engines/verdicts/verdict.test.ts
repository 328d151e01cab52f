import { expect, test } from 'vitest'
import type { Facts } from './facts.ts'
import { assertion, breaks, crash, facts, failed, mutant, mutants, ran, withSuite } from './testing.ts'
import { judge } from './verdict.ts'

/** Of two things that are wrong, the one that must be mended first is told. */
const precedence: [first: string, second: Partial<Facts>, reason: string][] = [
  [
    'failures alone',
    { alone: [ran(), ran({ failures: assertion })], suite: [withSuite({ failures: crash })] },
    'fails_sometimes',
  ],
  [
    'its own failures',
    { suite: [withSuite({ failures: assertion })], breakChecks: [breaks([['a'], ['a']], [[]])] },
    'fails_with_suite',
  ],
  [
    'breaking others',
    { breakChecks: [breaks([['a'], ['a']], [[]])], mutation: mutants([mutant('survived')]) },
    'breaks_other_tests',
  ],
  ['not being built', { alone: [ran({}, { skipped: 2 })], mutation: mutants([mutant('survived')]) }, 'only_skipped'],
]

test.for(precedence)('tells of %s before anything else', ([, change, reason]) => {
  expect(judge(facts(change)).reason).toBe(reason)
})

test('keeps a summary short, however long what was seen is', () => {
  const long = 'x'.repeat(50_000)
  const failures = [failed('assertion', { message: long })]
  expect(judge(facts({ alone: [ran({ failures })] })).summary.length).toBeLessThan(1_000)
  const mutation = mutants([{ ...mutant('survived'), mutant: { ...mutant('survived').mutant, original: long } }])
  expect(judge(facts({ mutation })).summary.length).toBeLessThan(1_000)
})
