import { expect } from 'vitest'
import type { MutationOperator } from '../mutation/schema.ts'
import type { CoverageGain, FailedTest, FailureKind, VerificationRun } from './schema.ts'
import type { BreakCheck, Facts, JudgedRun, Judgement, MutantOutcome, RunFacts } from './facts.ts'

export const path = 'test/cart.test.ts'

export function failed(kind: FailureKind, change: Partial<FailedTest> = {}): FailedTest {
  return { test: 'cart > total', kind, message: 'expected 2 to be 3', file: path, line: 4, ...change }
}

export function ran(change: Partial<VerificationRun> = {}, facts: Partial<RunFacts> = {}): RunFacts {
  const run: VerificationRun = {
    kind: 'alone',
    order: change.seed ? 'random' : 'default',
    seed: null,
    outcome: change.failures ? 'failed' : 'passed',
    durationMs: 300,
    failures: [],
    broke: [],
    ...change,
  }
  return { run, collected: 2, skipped: 0, problem: null, unexplained: [], words: '', ...facts }
}

export const withSuite = (change: Partial<VerificationRun> = {}, facts: Partial<RunFacts> = {}) =>
  ran({ kind: 'suite', ...change }, facts)

export const breaks = (failedWith: string[][], failedWithout: string[][]): BreakCheck => ({ failedWith, failedWithout })

export const gain = (change: Partial<CoverageGain> = {}): CoverageGain => ({
  targetLinesReached: '1-9',
  newTargetLines: '',
  newTargetBranches: 0,
  newProjectLines: 0,
  newProjectBranches: 0,
  before: 80,
  after: 80,
  ...change,
})
export const newLines = gain({ newTargetLines: '3-5', newProjectLines: 3, after: 84 })

export function mutant(outcome: MutantOutcome, operator: MutationOperator = 'boundary', line = 4): JudgedRun {
  return { outcome, mutant: { path: 'src/cart.ts', line, operator, original: 'a < b', replacement: 'a <= b' } }
}
export const mutants = (judged: JudgedRun[], newlyKilled: number | null = null) => ({
  found: judged.length,
  passedBy: 0,
  inNewLines: 0,
  noticesText: false,
  seed: '1f',
  judged,
  newlyKilled,
})

export const facts = (change: Partial<Facts> = {}): Facts => ({
  path,
  target: { path: 'src/cart.ts', symbol: 'total' },
  framework: 'vitest',
  alone: [ran(), ran({ seed: '7' }), ran({ seed: '8' })],
  suite: [withSuite(), withSuite({ seed: '7' })],
  breakChecks: [],
  testFoldersHint: 'Tests of this project are in test/, such as test/money.test.ts.',
  extendsCommitted: false,
  style: { assertions: 3, weakAssertions: 0, mocks: 0, mockShare: 0 },
  coverage: newLines,
  mutation: mutants([mutant('killed'), mutant('survived')]),
  ...change,
})

export const assertion = [failed('assertion')]
export const crash = [failed('crash_in_test', { message: 'TypeError: cart.missing is not a function' })]

/** What was seen, and what follows from it. */
export type Rule = [story: string, change: Partial<Facts>, verdict: string, reason: string, says?: RegExp]

export function expectRule(judgement: Judgement, [, , verdict, reason, says = /\w/]: Rule): void {
  expect(judgement).toMatchObject({ verdict, reason })
  expect(judgement.summary).toMatch(says)
  // Sentences, whatever was put into them.
  expect(judgement.summary).toMatch(/^[A-Z`].*\.$/s)
  expect(judgement.summary).not.toMatch(/ {2}|undefined(?!: notThere)|\.\.(?: |$)/)
}
