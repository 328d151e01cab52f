import type { RunError, FailedTest, VerificationRun } from './schema.ts'
import { includesLine, type Ranges } from '../coverage/ranges.ts'
import { testTitle } from './own-tests.ts'
import type { OutcomeCase, RunOutcome } from './outcome.ts'
import type { MutantOutcome, RunFacts } from './facts.ts'
import { isOutsideOfTests } from './failure-kind.ts'

interface How {
  kind: 'alone' | 'suite'
  /** The seed of the random order; null for the default order. */
  seed: string | null
  /** The test cases of the file. */
  own: readonly OutcomeCase[]
  /** Titles of tests that also fail without the new test. */
  knownFailures: ReadonlySet<string>
}

const shown = 10
const maxWordsLength = 8_000
const maxMessageLength = 2_000

/** Converts the outcome of a run to the facts that a verdict needs. */
export function runFacts(outcome: RunOutcome, { kind, seed, own, knownFailures }: How): RunFacts {
  const { problem } = outcome
  const failed = own.filter(({ status }) => status === 'failed')
  const tests = own.filter((found) => !isOutsideOfTests(found))
  const broke = kind === 'suite' ? brokenTests(outcome, own, knownFailures) : []
  return {
    run: {
      kind,
      order: seed === null ? 'default' : 'random',
      seed,
      outcome: outcomeOf(outcome, own, { problem, broke }),
      durationMs: Math.round(outcome.execution.usage.wallMs),
      failures: [...hangOf(outcome), ...failed.map(failedTest)].slice(0, shown),
      broke: broke.slice(0, shown),
    },
    collected: tests.length,
    skipped: tests.filter(({ status }) => status === 'skipped').length,
    problem,
    unexplained: failed.filter(({ failure }) => failure === 'unexplained').map(testTitle),
    words: lastWords(outcome.output),
  }
}

/** Returns the titles of failed tests that are neither the new test's own nor known failures. */
export function brokenTests(
  { cases, problem }: RunOutcome,
  own: readonly OutcomeCase[],
  knownFailures: ReadonlySet<string>,
): string[] {
  const ours = new Set(own)
  const broken = cases.filter((found) => found.status === 'failed' && !ours.has(found)).map(testTitle)
  const all = problem ? [...broken, wholeRun(problem)] : broken
  return [...new Set(all)].filter((title) => !knownFailures.has(title))
}

/** The title for all tests if the run itself failed. */
export const wholeRun = ({ code }: Pick<RunError, 'code'>) => `the whole run (${code})`

export const isWholeRun = (title: string): boolean => title.startsWith('the whole run (')

/**
 * Returns the outcome of a mutant. An error that leaves code from which the test expects another error counts as a failed
 * assertion: the mutant is killed.
 *
 * @param own - the test cases of the file in a run alone
 * @param expectedErrors - see `readExpectedErrors`
 */
export function mutantOutcome(
  outcome: RunOutcome,
  own: readonly OutcomeCase[],
  expectedErrors: Ranges = [],
): MutantOutcome {
  if (isEndless(outcome)) return 'timed_out'
  const kinds = new Set(own.flatMap(({ kind }) => kind ?? []))
  if (kinds.has('assertion')) return 'killed'
  const isOtherError = ({ kind, testLines }: OutcomeCase) =>
    (kind === 'crash_in_code' || kind === 'crash_in_test') &&
    testLines.some((line) => includesLine(expectedErrors, line))
  if (own.some(isOtherError)) return 'killed'
  if (kinds.has('crash_in_code') || kinds.has('crash_in_test')) return 'crashed'
  if (kinds.has('timeout')) return 'timed_out'
  const passed = own.some(({ status }) => status === 'passed')
  if (kinds.has('not_built') || !passed) return 'invalid'
  return outcome.problem === null ? 'survived' : 'crashed'
}

function outcomeOf(
  outcome: RunOutcome,
  own: readonly OutcomeCase[],
  { problem, broke }: Pick<RunFacts, 'problem'> & { broke: readonly string[] },
): VerificationRun['outcome'] {
  if (isEndless(outcome)) return 'timeout'
  const failed = own.filter(({ status }) => status === 'failed')
  if (failed.length > 0) return failed.every(({ kind }) => kind === 'not_built') ? 'not_built' : 'failed'
  if (own.length === 0) return 'not_built'
  return problem === null && broke.length === 0 ? 'passed' : 'failed'
}

const isEndless = ({ execution }: RunOutcome) => execution.reason === 'wall' || execution.reason === 'cpu'

/** Returns the test that did not end as a failure. */
function hangOf({ hang, execution }: RunOutcome): FailedTest[] {
  if (hang === null) return []
  const { test, place, stack } = hang
  const said = [execution.message, stack].filter(Boolean).join('\n').slice(0, maxMessageLength)
  const { file = null, line = null } = place ?? {}
  return [{ test: test ?? file ?? '', kind: 'timeout', message: said === '' ? null : said, file, line }]
}

/** Converts a failed case to the form of the evidence. */
export function failedTest(found: OutcomeCase): FailedTest {
  return {
    test: testTitle(found),
    kind: found.kind ?? 'crash_in_test',
    message: found.message?.slice(0, maxMessageLength) ?? null,
    file: found.place?.file ?? null,
    line: found.place?.line ?? null,
  }
}

/** Returns the end of the output without decoration and npm warnings. */
function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => /[\p{L}\d]/u.test(line) && !/^npm warn /i.test(line))
  return lines.join('\n').slice(-maxWordsLength).trim()
}
