import type { OutcomeCase } from '../outcome.ts'
import type { RunError } from '../schema.ts'
import { quotedLine, sentence } from '../sentences.ts'
import { counted } from '../worth.ts'
import { hasTests, titleOf } from './describe-tests.ts'
import type { SideFacts } from './facts.ts'
import { type ChangeJudgement, judgement, type Observed } from './judgement.ts'
import { failures, named, short } from './sentences.ts'
import { endedEarly, isOfFile } from './side-tests.ts'

/** Problems of Assay or its machine, which say nothing about the change. */
const ofMachine = new Set(['sandbox_failed', 'cancelled'])
const limits = /^(?:timeout|(?:cpu|memory|process|output|disk)_limit)$/
const maxProblemLength = 1_000
const maxLineLength = 300

/** Judges whether the head can be built and run. Returns null if its tests ran. */
export function judgeBuild({ facts: { head, base, files } }: Observed): ChangeJudgement | null {
  if (head.runs.length === 0 && head.problem === null) {
    // Documentation needs no run.
    if (files.every(({ kind }) => kind === 'other')) return null
    return noResult('The tests did not run with the change, so nothing is known about it.')
  }
  if (hasTests(head)) return null
  const problem = problemOf(head)
  if (problem !== null && ofMachine.has(problem.code)) return noResult(said(problem))
  const failure = head.runs.flatMap(({ cases }) =>
    cases.filter((found) => found.status === 'failed' && isOfFile(found)),
  )[0]
  if (failure) {
    if (failsAlike(base, failure))
      return sameBefore(`With the change no test can be loaded: ${quotedLine(failure.message ?? '')}`)
    const at = failure.place ? ` at ${failure.place.file}:${failure.place.line}` : ''
    return judgement(
      'not_built',
      'cannot_be_loaded',
      `With the change no test can be loaded${at}: ${quotedLine(failure.message ?? 'the runner gives no reason')} ${comparison(base)}Fix the syntax, types and imports.`,
    )
  }
  if (problem === null || problem.code === 'no_tests') {
    if (!hasTests(base)) return null
    return judgement(
      'not_built',
      'no_tests',
      `The runner finds no test with the change, and finds tests without it.${problem ? ` ${said(problem)}` : ''} Restore the tests, or the configuration that finds them.`,
    )
  }
  if (limits.test(problem.code)) {
    if (!hasTests(base)) return noResult(said(problem))
    return judgement(
      'broken',
      isEndless(problem) ? 'never_ends' : problem.code,
      `With the change the tests give no result, and without it they do: ${said(problem)} Look for a loop or a wait that does not end, or for memory that is not released.`,
    )
  }
  if (!hasTests(base) && problemOf(base)?.code === problem.code)
    return sameBefore(
      `With the change the tests give no result: ${said(problem)}`,
      problem.code === 'install_failed' ? problem.code : undefined,
    )
  return judgement(
    'not_built',
    problem.code,
    `With the change the tests give no result: ${said(problem)} ${comparison(base)}`.trim(),
  )
}

/** Judges tests that fail with the change, and runs that fail because of it. */
export function judgeFailures(observed: Observed): ChangeJudgement | null {
  const { tests, sides, facts } = observed
  const broken = tests.filter(({ transition }) => transition === 'broken')
  const own = tests.filter(
    ({ transition, isOfChange }) => transition === 'new_failing' && (isOfChange !== null || sides.isBaseKnown),
  )
  if (broken.length > 0) {
    const unbuilt = broken.every(({ head }) => head?.example.kind === 'not_built')
    const also =
      own.length > 0 ? ` ${counted(own.length, 'new test')} also ${own.length === 1 ? 'fails' : 'fail'}.` : ''
    const isUnchanged = broken.every(({ isOfChange, line }) => isOfChange === null && line !== null)
    return judgement(
      'broken',
      unbuilt ? 'cannot_be_loaded' : 'breaks_tests',
      `The change breaks ${counted(broken.length, isUnchanged ? 'unchanged test' : 'test')} that ${broken.length === 1 ? 'passes' : 'pass'} without it. ${failures(broken)}${also} Fix the code, or the test if its expectation is out of date.`,
    )
  }
  if (own.length > 0) {
    return judgement(
      'broken',
      'new_test_fails',
      `${counted(own.length, 'new test')} ${own.length === 1 ? 'fails' : 'fail'} with the change. ${failures(own)} Fix the code or the test.`,
    )
  }
  return judgeRuns(facts.head, facts.base)
}

/** Judges a problem of the run that reported tests. */
function judgeRuns(head: SideFacts, base: SideFacts): ChangeJudgement | null {
  const problem = lastingProblem(head)
  if (problem === null || ofMachine.has(problem.code)) return null
  if (!hasTests(base) || base.runs.some((run) => run.problem?.code === problem.code)) return null
  return judgement(
    'broken',
    isEndless(problem) ? 'never_ends' : problem.code === 'command_failed' ? 'run_fails' : problem.code,
    `The run of all tests fails with the change, and not without it: ${said(problem)}`,
  )
}

/** Returns the problem of the run of all tests, unless a later run of as many tests does not have it. */
export function lastingProblem({ runs: [first, ...others] }: SideFacts): RunError | null {
  if (first === undefined || first.problem === null) return null
  const isLasting = others.every(
    ({ problem, totals }) => problem !== null || totals.totalTests < first.totals.totalTests || endedEarly(first),
  )
  return isLasting ? first.problem : null
}

/** Judges tests of the change that pass and fail with the same code. Other flaky tests are a warning. */
export function judgeFlaky({ tests, facts: { head } }: Observed): ChangeJudgement | null {
  const flaky = tests.filter((test) => test.isOfChange !== null && test.head?.status === 'flaky')
  const [first] = flaky
  if (first === undefined) return null
  const message = first.head?.example.status === 'failed' ? first.head.example.message : null
  const how =
    first.head?.example.status === 'failed'
      ? `passes in some of ${counted(head.runs.length, 'run')} of the same code, and fails in others`
      : 'passes only when it is retried'
  const more = flaky.length > 1 ? ` So do ${flaky.length - 1} more of its tests.` : ''
  return judgement(
    'flaky',
    'flaky_test',
    `${named(first)}, a test of the change, ${how}.${message ? ` One failure says: ${quotedLine(message)}` : ''}${more} Remove everything that differs between runs: the current time, random numbers, unsorted order, fixed waiting times.`,
    flaky.slice(0, 20).map((test) => `\`${short(titleOf(test))}\` must have the same result in every run.`),
  )
}

const problemOf = ({ problem, runs }: SideFacts): RunError | null =>
  problem ?? runs.find((run) => run.problem !== null)?.problem ?? null

/** Whether no test can be loaded on the base for the same reason. */
const failsAlike = (base: SideFacts, { message }: OutcomeCase): boolean =>
  !hasTests(base) &&
  base.runs.some(({ cases }) =>
    cases.some((found) => found.status === 'failed' && isOfFile(found) && found.message === message),
  )

/** The base fails in the same way, so the change is not the reason. */
const sameBefore = (text: string, reason = 'no_result'): ChangeJudgement =>
  judgement(
    'unproved',
    reason,
    `${sentence(text)} Without the change they do not run either, so this says nothing about the change. Make the tests run on the base first.`,
    ['A run of all tests with the change.'],
  )

const noResult = (text: string): ChangeJudgement =>
  judgement('unproved', 'no_result', `${sentence(text)} Verify the change again.`, [
    'A run of all tests with the change.',
  ])

export const isEndless = ({ code }: RunError) => code === 'timeout' || code === 'cpu_limit'

const saysError = /\berr(?:or)?\b|^E: /i
const saysLittle = /complete log of this run|^npm error code \w+$/
const maxLines = 2

/** Returns the message of a problem, with the lines of the output that tell most if it quotes the output. */
export function said({ message }: RunError): string {
  const [first = '', ...output] = message.split('\n')
  const lines = output.map((line) => line.trim()).filter((line) => /[\p{L}\d]/u.test(line) && !saysLittle.test(line))
  if (lines.length === 0) return sentence(first.slice(0, maxProblemLength))
  const errors = lines.filter((line) => saysError.test(line)).slice(0, maxLines)
  const quoted = (errors.length > 0 ? errors : lines.slice(-1)).map((line) => line.slice(0, maxLineLength))
  return `${sentence(first.replace(/ The output was:$/, '').slice(0, maxProblemLength))} The output says: ${sentence(quoted.join(' '))}`
}

const comparison = (base: SideFacts) =>
  base.runs.length > 0 && hasTests(base)
    ? 'Without the change they run. '
    : base.problem !== null
      ? 'Without the change they do not run either. '
      : ''
