import type { FailedTest, FailureKind } from './schema.ts'
import type { BreakCheck, Facts, Judgement, RunFacts } from './facts.ts'
import { hitsLimit, whyNotBuilt } from './not-built.ts'
import { wholeRun } from './run-facts.ts'
import { listed, quotedLine } from './sentences.ts'

/** The part of a failure that must be the same in every run. */
interface Sign {
  test: string
  kind: FailureKind
  failure: FailedTest | null
}

const theRun = 'the run'

/** Returns the verdict that the runs decide, or null if the test passed in all of them. */
export function judgeRuns(facts: Omit<Facts, 'coverage' | 'mutation'>): Judgement | null {
  // If the runner cannot run a single file, only the runs with the suite are known.
  const repeats = facts.alone.length > 0 ? facts.alone : facts.suite
  return judgeRepeats(facts, repeats) ?? (facts.alone.length > 0 ? judgeAmongOthers(facts) : judgeBreaks(facts))
}

function judgeRepeats(facts: Omit<Facts, 'coverage' | 'mutation'>, runs: readonly RunFacts[]): Judgement | null {
  const failing = runs.filter(isFailing)
  const [first] = failing
  if (first === undefined) {
    const isSkipped = runs.length > 0 && runs.every(({ collected, skipped }) => collected > 0 && skipped === collected)
    return isSkipped ? notRun(runs) : null
  }
  // A reached limit explains all other failures.
  const limited = failing.find(hitsLimit)
  if (limited) return whyNotBuilt(facts, limited, [])
  if (failing.length < runs.length) return sometimes(runs, failing)
  const always = signsOf(first).filter((sign) => failing.every((run) => signsOf(run).some(isSame(sign))))
  if (always.length === 0) return failsDifferently(failing)
  return (
    suspectedBug(always, runs.length) ??
    whyNotBuilt(
      facts,
      first,
      always.flatMap(({ failure }) => failure ?? []),
    )
  )
}

/** In a run with the suite, failures of other tests do not count. Break checks show whether the test caused them. */
const isFailing = ({ run }: RunFacts) =>
  run.kind === 'alone' ? run.outcome !== 'passed' : run.failures.length > 0 || run.outcome === 'not_built'

function signsOf({ run, problem }: RunFacts): Sign[] {
  if (run.outcome === 'timeout') {
    return [{ test: theRun, kind: 'timeout', failure: run.failures.find(({ kind }) => kind === 'timeout') ?? null }]
  }
  if (run.failures.length > 0) {
    return run.failures.map((failure) => ({ test: failure.test, kind: failure.kind, failure }))
  }
  const kind = problem?.code === 'command_failed' ? 'crash_in_test' : 'not_built'
  return [{ test: theRun, kind, failure: null }]
}

const isSame =
  ({ test, kind }: Sign) =>
  (other: Sign) =>
    other.test === test && other.kind === kind

const bugs: readonly { kind: FailureKind; reason: string; what: string }[] = [
  { kind: 'assertion', reason: 'assertion_fails', what: 'The assertion fails' },
  { kind: 'crash_in_code', reason: 'code_throws', what: 'The tested code throws' },
  { kind: 'timeout', reason: 'never_ends', what: 'The test does not end' },
]

/** Returns a verdict if at least one test always fails in the same way on the unchanged code. */
function suspectedBug(always: readonly Sign[], count: number): Judgement | null {
  for (const { kind, reason, what } of bugs) {
    const sign = always.find((candidate) => candidate.kind === kind)
    if (sign === undefined) continue
    const { failure } = sign
    const place = failure?.file ? ` at ${failure.file}:${failure.line}` : ''
    const said = failure?.message ? `: ${quotedLine(failure.message)}` : '.'
    const test = failure?.test ?? (sign.test === theRun ? '' : sign.test)
    const which = test === '' ? '' : ` in \`${test}\``
    const more =
      always.length > 1 ? ` ${always.length - 1} more of the tests always fail${always.length > 2 ? '' : 's'}.` : ''
    return {
      verdict: 'suspected_bug',
      reason,
      summary: `${what}${which}${place}, in ${count === 1 ? 'the only run' : `all ${count} runs`} on the unchanged code${said}${more} Either the code or the expectation of the test is wrong. Find out which, and fix it.`,
    }
  }
  return null
}

function sometimes(runs: readonly RunFacts[], failing: readonly RunFacts[]): Judgement {
  const [first] = failing
  const failure = first?.run.failures[0]
  const said = failure?.message ? ` One failure says: ${quotedLine(failure.message)}` : ''
  const inOrder = runs.filter(({ run }) => run.order === 'default')
  const shuffled = runs.filter(({ run }) => run.order === 'random')
  const isOrder = shuffled.length > 1 && shuffled.every(isFailing) && !inOrder.some(isFailing)

  return isOrder
    ? {
        verdict: 'flaky',
        reason: 'depends_on_order',
        summary: `The file passes when its tests run in the written order, and fails in random order (seed ${first?.run.seed}).${said} Each test must create what it needs and clean up after itself.`,
      }
    : {
        verdict: 'flaky',
        reason: 'fails_sometimes',
        summary: `The test failed in ${failing.length} of ${runs.length} runs of the same code.${said} Remove everything that differs between runs: the current time, random numbers, unsorted order, fixed waiting times.`,
      }
}

function failsDifferently(failing: readonly RunFacts[]): Judgement {
  const seen = [...new Set(failing.flatMap((run) => signsOf(run).map(({ test, kind }) => `${test} (${kind})`)))]
  return {
    verdict: 'flaky',
    reason: 'fails_differently',
    summary: `The test fails in every run, but in different ways: ${listed(seen)}. Remove everything that differs between runs, then fix the remaining failure.`,
  }
}

function notRun(runs: readonly RunFacts[]): Judgement {
  const count = runs[0]?.collected ?? 0
  return {
    verdict: 'not_built',
    reason: 'only_skipped',
    summary: `The runner skips ${count === 1 ? 'the only test' : `all ${count} tests`} of the file. Remove the skip.`,
  }
}

function judgeAmongOthers(facts: Omit<Facts, 'coverage' | 'mutation'>): Judgement | null {
  const { suite } = facts
  // An incomplete run says nothing about the tests that it did not reach.
  const complete = suite.filter(({ problem, run }) => problem === null && run.outcome !== 'timeout')
  if (complete.length > 0 && complete.every(({ collected }) => collected === 0)) {
    return {
      verdict: 'not_built',
      reason: 'not_in_suite',
      summary: [
        "The test passes alone, but the project's test command does not run it.",
        facts.testFoldersHint,
        'Move it to a folder where that command looks for tests.',
      ]
        .filter((sentence) => sentence !== null)
        .join(' '),
    }
  }
  const failed = suite.filter((seen) => seen.run.failures.length > 0 && !hitsLimit(seen))
  if (failed.length > 0) return failsWithSuite(facts, failed)
  return judgeBreaks(facts)
}

/** A single failure may be chance. Several runs, all of which fail, show that the other tests cause it. */
function failsWithSuite({ alone, suite }: Pick<Facts, 'alone' | 'suite'>, failed: readonly RunFacts[]): Judgement {
  const [first] = failed
  const seed = first?.run.seed ? ` (random order, seed ${first.run.seed})` : ''
  const said = quotedLine(first?.run.failures[0]?.message ?? 'no message')
  const count = alone.length + suite.length
  const isProven = failed.length > 1 && failed.length === suite.length
  const seen = isProven
    ? `The test passes alone and fails together with the project's other tests${seed}`
    : `The test failed in ${failed.length} of ${count} runs, together with the project's other tests${seed}: by chance, or because of the other tests`
  const advice = isProven
    ? 'It must create what it needs, and must not depend on anything that other tests change.'
    : 'Look for what differs between runs (time, random numbers, waiting times), and for what other tests change.'
  return { verdict: 'flaky', reason: 'fails_with_suite', summary: `${seen}: ${said} ${advice}` }
}

function judgeBreaks(facts: Omit<Facts, 'coverage' | 'mutation'>): Judgement | null {
  const broken = [...new Set(facts.breakChecks.flatMap(brokenByTest))]
  if (broken.length === 0) return null
  const limited = facts.suite.find((seen) => hitsLimit(seen) && seen.problem && broken.includes(wholeRun(seen.problem)))
  if (limited) return whyNotBuilt(facts, limited, [])
  return {
    verdict: 'flaky',
    reason: 'breaks_other_tests',
    summary: `The test breaks other tests: ${listed(broken)} repeatedly ${broken.length === 1 ? 'fails' : 'fail'} with it and ${broken.length === 1 ? 'passes' : 'pass'} without it. The test must undo its changes: global state, mocks, timers, files, environment variables.`,
  }
}

/** Returns what failed in every run with the test (at least two), and in no run without it. */
function brokenByTest({ failedWith, failedWithout }: BreakCheck): string[] {
  const [first = [], ...others] = failedWith
  if (others.length === 0 || failedWithout.length === 0) return []
  return first.filter(
    (title) => others.every((run) => run.includes(title)) && !failedWithout.some((run) => run.includes(title)),
  )
}
