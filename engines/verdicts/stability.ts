import type { FailedTest, FailureKind } from './schema.ts'
import type { BreakCheck, Facts, Judgement, RunFacts } from './facts.ts'
import { hitsLimit, whyNotBuilt } from './not-built.ts'
import { wholeRun } from './run-facts.ts'
import { listed, quotedLine, times } from './sentences.ts'

/** A failure as far as it must be the same in every run. */
interface Sign {
  test: string
  kind: FailureKind
  told: FailedTest | null
}

const theRun = 'the run'

/** The verdict that the runs decide; null where the test passes whatever was done, and its worth is to be measured. */
export function judgeRuns(facts: Omit<Facts, 'coverage' | 'mutation'>): Judgement | null {
  // Where the runner cannot be confined to the file, all that is known is how it fares among the others.
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
  // Whatever else fails, and when, there was not enough for it.
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
      always.flatMap(({ told }) => told ?? []),
    )
  )
}

/** With the suite, others may fail, of which the test is guilty only where that was made sure of. */
const isFailing = ({ run }: RunFacts) =>
  run.kind === 'alone' ? run.outcome !== 'passed' : run.failures.length > 0 || run.outcome === 'not_built'

function signsOf({ run, problem }: RunFacts): Sign[] {
  if (run.outcome === 'timeout') {
    return [{ test: theRun, kind: 'timeout', told: run.failures.find(({ kind }) => kind === 'timeout') ?? null }]
  }
  if (run.failures.length > 0) return run.failures.map((told) => ({ test: told.test, kind: told.kind, told }))
  const kind = problem?.code === 'command_failed' ? 'crash_in_test' : 'not_built'
  return [{ test: theRun, kind, told: null }]
}

const isSame =
  ({ test, kind }: Sign) =>
  (other: Sign) =>
    other.test === test && other.kind === kind

const bugs: readonly { kind: FailureKind; reason: string; what: string }[] = [
  { kind: 'assertion', reason: 'assertion_fails', what: 'Its assertion fails' },
  { kind: 'crash_in_code', reason: 'code_throws', what: 'The code that it tests throws' },
  { kind: 'timeout', reason: 'never_ends', what: 'It does not end' },
]

/** What always fails in the same way on code that nobody changed; one such test is enough, whatever the others do. */
function suspectedBug(always: readonly Sign[], count: number): Judgement | null {
  for (const { kind, reason, what } of bugs) {
    const sign = always.find((candidate) => candidate.kind === kind)
    if (sign === undefined) continue
    const place = sign.told?.file ? ` at ${sign.told.file}:${sign.told.line}` : ''
    const said = sign.told?.message ? `: ${quotedLine(sign.told.message)}` : '.'
    const test = sign.told?.test ?? (sign.test === theRun ? '' : sign.test)
    const which = test === '' ? '' : ` in \`${test}\``
    const more =
      always.length > 1 ? ` ${always.length - 1} more of its tests fail${always.length > 2 ? '' : 's'} always.` : ''
    return {
      verdict: 'suspected_bug',
      reason,
      summary: `${what}${which}${place}, in ${count === 1 ? 'its only run' : `all ${count} runs`} on the unchanged code${said}${more} Either the code or the test's expectation is wrong: find out which, and fix it.`,
    }
  }
  return null
}

function sometimes(runs: readonly RunFacts[], failing: readonly RunFacts[]): Judgement {
  const [first] = failing
  const told = first?.run.failures[0]
  const said = told?.message ? ` Once it said: ${quotedLine(told.message)}` : ''
  const inOrder = runs.filter(({ run }) => run.order === 'default')
  const shuffled = runs.filter(({ run }) => run.order === 'random')
  const isOrder = shuffled.length > 1 && shuffled.every(isFailing) && !inOrder.some(isFailing)
  const count = `It failed ${times(failing.length)} of ${runs.length}`
  return isOrder
    ? {
        verdict: 'flaky',
        reason: 'depends_on_order',
        summary: `It passes in the order in which its tests are written, and fails in every other (seed ${first?.run.seed}).${said} Each of its tests must create what it needs and clean up after itself.`,
      }
    : {
        verdict: 'flaky',
        reason: 'fails_sometimes',
        summary: `${count} by itself, though nothing was changed.${said} Remove what differs from run to run: time, random numbers, unsorted order, waiting for a fixed time.`,
      }
}

function failsDifferently(failing: readonly RunFacts[]): Judgement {
  const seen = [...new Set(failing.flatMap((run) => signsOf(run).map(({ test, kind }) => `${test} (${kind})`)))]
  return {
    verdict: 'flaky',
    reason: 'fails_differently',
    summary: `It fails every time, but in different ways: ${listed(seen)}. Remove what differs from run to run, then look at the remaining failure.`,
  }
}

function notRun(runs: readonly RunFacts[]): Judgement {
  const count = runs[0]?.collected ?? 0
  return {
    verdict: 'not_built',
    reason: 'only_skipped',
    summary: `The runner skips ${count === 1 ? 'its only test' : `all of its ${count} tests`}. Remove the skip.`,
  }
}

function judgeAmongOthers(facts: Omit<Facts, 'coverage' | 'mutation'>): Judgement | null {
  const { suite } = facts
  // A run that broke down says nothing of what it did not come to.
  const complete = suite.filter(({ problem, run }) => problem === null && run.outcome !== 'timeout')
  if (complete.length > 0 && complete.every(({ collected }) => collected === 0)) {
    return {
      verdict: 'not_built',
      reason: 'not_in_suite',
      summary:
        `It passes when it is run by itself, and the project's own command does not run it. ${facts.testFoldersHint ?? ''} Move it to a folder where that command looks.`.replaceAll(
          '  ',
          ' ',
        ),
    }
  }
  const failed = suite.find((seen) => seen.run.failures.length > 0 && !hitsLimit(seen))
  if (failed !== undefined) {
    const [told] = failed.run.failures
    const seed = failed.run.seed === null ? '' : ` (random order, seed ${failed.run.seed})`
    return {
      verdict: 'flaky',
      reason: 'fails_with_suite',
      summary: `It passes by itself and fails together with the project's other tests${seed}: ${quotedLine(told?.message ?? 'no message')} It must create what it needs, and depend on nothing that other tests change.`,
    }
  }
  return judgeBreaks(facts)
}

function judgeBreaks(facts: Omit<Facts, 'coverage' | 'mutation'>): Judgement | null {
  const broken = [...new Set(facts.breakChecks.flatMap(brokenByTest))]
  if (broken.length === 0) return null
  const limited = facts.suite.find((seen) => hitsLimit(seen) && seen.problem && broken.includes(wholeRun(seen.problem)))
  if (limited) return whyNotBuilt(facts, limited, [])
  return {
    verdict: 'flaky',
    reason: 'breaks_other_tests',
    summary: `With it in place, ${listed(broken)} ${broken.length === 1 ? 'fails' : 'fail'} that passed without it, and did so again when that was repeated. It must undo its changes: global state, mocks, timers, files, environment variables.`,
  }
}

/** What failed each time with the test, at least twice, and never without: less may be chance. */
function brokenByTest({ failedWith, failedWithout }: BreakCheck): string[] {
  const [first = [], ...others] = failedWith
  if (others.length === 0 || failedWithout.length === 0) return []
  return first.filter(
    (title) => others.every((run) => run.includes(title)) && !failedWithout.some((run) => run.includes(title)),
  )
}
