import { failedTest } from '../run-facts.ts'
import { testTitle } from '../own-tests.ts'
import type { ChangeFacts, SideFacts } from './facts.ts'
import { type ChangedTest, type SideResult, TestTransition, type ChangeEvidence } from './schema.ts'
import { endedEarly, isOfFile } from './side-tests.ts'
import type { TestOfChange } from './tests-of-change.ts'

const shownTests = 200
/** The first failures are shown with whole messages. */
const wholeMessages = 20
const maxMessageLength = 300
const maxTitleLength = 1_000

/** The title of a test, or the file of tests that could not be loaded and have no names. */
export const titleOf = ({ head, base, file }: Pick<TestOfChange, 'head' | 'base' | 'file'>): string => {
  const found = head?.named ?? base?.named
  const unnamed = (head ?? base)?.example
  const title = found ? testTitle(found) : (unnamed?.file ?? file ?? (unnamed ? testTitle(unnamed) : ''))
  return title.slice(0, maxTitleLength)
}

const rank: Record<TestTransition, number> = {
  broken: 0,
  new_failing: 1,
  flaky: 2,
  gone: 4,
  fails_both: 6,
  fails_to_passes: 7,
  new_passing: 8,
  passes_to_passes: 9,
}

const rankOf = ({ transition, isOfChange, withoutChange }: TestOfChange): number => {
  if (transition === 'flaky') return isOfChange === null ? 5 : 2
  const isProofless = isOfChange !== null && (withoutChange === 'passes' || withoutChange === 'not_run')
  return rank[transition] > 6 && isProofless ? 3 : rank[transition]
}

/** Sorts tests: the worst first, then by file and title. */
export function worstFirst(tests: readonly TestOfChange[]): TestOfChange[] {
  return tests
    .map((test) => ({ test, rank: rankOf(test), key: `${test.file ?? ''}\0${titleOf(test)}` }))
    .toSorted((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ test }) => test)
}

/** Lists the tests for the evidence. */
export function shownTestsOf(sorted: readonly TestOfChange[]): ChangedTest[] {
  return sorted
    .filter(({ transition, isOfChange }) => transition !== 'passes_to_passes' || isOfChange !== null)
    .slice(0, shownTests)
    .map((test, at) => {
      const failing = test.head !== null && test.head.example.status === 'failed' ? failedTest(test.head.example) : null
      const message = failing?.message?.slice(0, at < wholeMessages ? undefined : maxMessageLength) ?? null
      return {
        test: titleOf(test),
        file: test.file,
        line: test.line,
        transition: test.transition,
        isOfChange: test.isOfChange,
        withoutChange: test.isOfChange === null ? null : test.withoutChange,
        failure: failing && { ...failing, test: failing.test.slice(0, maxTitleLength), message },
      }
    })
}

export function countTransitions(tests: readonly TestOfChange[]): ChangeEvidence['counts'] {
  const counts = Object.fromEntries(TestTransition.options.map((name) => [name, 0])) as ChangeEvidence['counts']
  for (const { transition } of tests) counts[transition]++
  return counts
}

/** Returns the totals of the largest run, which is that of all tests. */
export function sideResult(side: SideFacts): SideResult {
  const { runs, problem, commitSha, durationMs, cached } = side
  const totals = runs.reduce((most, run) => (run.totals.totalTests > most.totalTests ? run.totals : most), noTotals)
  const failedTests = runs.reduce((most, run) => Math.max(most, run.totals.failedTests), 0)
  const said = problem ?? runs.find((run) => run.problem !== null)?.problem ?? null
  return {
    commitSha,
    outcome: outcomeOf(side, totals.totalTests, failedTests),
    totalTests: totals.totalTests,
    failedTests,
    problem: said?.message.slice(0, 2_000) ?? null,
    durationMs: Math.round(durationMs),
    cached,
  }
}

const noTotals = { totalTests: 0 }

function outcomeOf({ runs, problem }: SideFacts, totalTests: number, failedTests: number): SideResult['outcome'] {
  if (runs.length === 0) return problem === null ? 'not_run' : 'not_built'
  if (totalTests === 0)
    return runs.every((run) => run.problem?.code === 'no_tests' || !run.problem) ? 'no_tests' : 'not_built'
  if (!hasTests({ runs }) && failedTests > 0) return 'not_built'
  return failedTests > 0 || runs.some((run) => run.problem !== null) ? 'failed' : 'passed'
}

/** Whether a run reported a test, not only files that could not be loaded. */
export const hasTests = ({ runs }: Pick<SideFacts, 'runs'>): boolean =>
  runs.some(({ cases, totals }) => totals.totalTests > cases.length || cases.some((found) => !isOfFile(found)))

/**
 * The end of the output of the run that decides: the first that ended early or has failures. If the install failed, the
 * message of the problem quotes its output below the first line.
 */
export function decidingOutput({ head, base }: ChangeFacts): string {
  const deciding =
    head.runs.find((run) => run.problem !== null && endedEarly(run)) ??
    head.runs.find((run) => run.problem !== null || run.totals.failedTests > 0) ??
    head.runs[0] ??
    base.runs[0]
  const output = deciding?.output ?? head.problem?.message.split('\n').slice(1).join('\n') ?? ''
  return output.slice(-8_192)
}
