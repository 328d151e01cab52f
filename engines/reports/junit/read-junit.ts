import { withLastStack, withoutStack } from '../attempts.ts'
import { gatherCases } from '../case-batch.ts'
import { ReportError } from '../report.ts'
import type { Attempt, CaseStatus, ReadOptions, ReportReader, TestCase } from '../report.ts'
import { cutText, plainText } from '../text.ts'
import { xmlEvents } from '../xml-events.ts'
import type { Attributes, XmlHandlers } from '../xml-events.ts'
import { durationOf } from './duration.ts'
import { enterSuite, outside, placementWithin } from './placement.ts'
import type { Placement } from './placement.ts'
import { readProblem, together } from './problem.ts'
import type { Problem } from './problem.ts'
import { joinTries } from './repeats.ts'
import { announcedProblems, openSuite, totals } from './suites.ts'
import type { Suite } from './suites.ts'

const rootElements = new Set(['testsuites', 'testsuite', 'testrun'])
/** The elements of Maven Surefire and cargo-nextest for attempts; `failure` and `error` belong to the first. */
const problemElements = {
  failure: 'failed',
  error: 'failed',
  rerunFailure: 'rerun',
  rerunError: 'rerun',
  flakyFailure: 'flaky',
  flakyError: 'flaky',
  skipped: 'skipped',
} as const
type ProblemKind = (typeof problemElements)[keyof typeof problemElements]
const skippedStatuses = new Set(['notrun', 'disabled', 'skipped', 'suppressed', 'ignored'])

interface OpenTest {
  attributes: Attributes
  problems: Partial<Record<ProblemKind, Problem[]>>
}

export const readJunit: ReportReader = async function* (source, options) {
  const cases = gatherCases(source, options)
  const reading = junitHandlers(source.name, options, cases.add)
  for await (const _ of xmlEvents(source, reading.handlers, options)) yield* cases.take()
  reading.end()
  yield* cases.take(true)
}

function junitHandlers(fileName: string, options: ReadOptions, add: (testCase: TestCase) => void) {
  const { limits, roots } = options
  const suites: Suite[] = []
  const checks = totals()
  const tries = joinTries(limits.maxAttempts, add)
  let test: OpenTest | null = null
  let problem: { element: string; kind: ProblemKind | 'output'; attributes: Attributes; text: string } | null = null
  let depth = 0

  const placeOutside = placementWithin(outside, roots)
  const place = (test: Attributes) => tidied((suites.at(-1)?.place ?? placeOutside)(test), limits)
  const namesAreUnique = () => suites.some((suite) => suite.namesAreUnique)

  function closeTest({ attributes, problems }: OpenTest) {
    const outcome = outcomeOf(attributes, problems, limits)
    for (const suite of suites) {
      suite.cases += 1
      suite.earlierTries += outcome.attempts.length
    }
    const { suite, name, file, line } = place(attributes)
    const { status, durationMs, message, stack, attempts } = outcome
    tries.add({ suite, name, file, line, status, durationMs, message, stack, attempts }, namesAreUnique())
  }

  function closeSuite(suite: Suite) {
    checks.check(suite)
    const { attributes, problems, cases } = suite
    const announced = cases === 0 ? announcedProblems(suite) : 0
    if (problems.length === 0 && announced === 0) return
    const joined = together(problems, limits)
    const placement = place({ file: attributes['file'], name: attributes['name'] || 'suite' })
    // The outer suites announce the failure of an inner suite again.
    for (const around of suites) around.cases += 1
    tries.add(
      {
        ...placement,
        status: 'failed',
        durationMs: durationOf(attributes['time']),
        message: joined.message ?? `The suite reports ${announced} failure(s) but contains no tests.`,
        stack: joined.stack,
        attempts: [],
      },
      false,
    )
  }

  const handlers: XmlHandlers = {
    open: (name, attributes, line) => {
      if (depth++ === 0 && !rootElements.has(name)) {
        throw new ReportError(
          'unknown_format',
          fileName,
          `the root element <${name}> is not the root of a JUnit report`,
          line,
        )
      }
      if (problem !== null) return name === 'stackTrace'
      if (name === 'testcase') {
        const around = suites.at(-1)
        if (around !== undefined) around.children += 1
        test = { attributes, problems: {} }
      } else if (name === 'testsuite' || name === 'testsuites' || name === 'testrun') {
        const around = suites.at(-1)
        if (around !== undefined) around.children += 1
        const inner = enterSuite(around?.around ?? outside, attributes, limits.maxName)
        suites.push(openSuite(attributes, inner, placementWithin(inner, roots)))
      } else if (name === 'property') {
        const suite = suites.at(-1)
        if (suite !== undefined && attributes['name'] === 'go.version') suite.namesAreUnique = true
      } else if (isProblem(name)) {
        problem = { element: name, kind: problemElements[name], attributes, text: '' }
        return true
      } else if (name === 'system-out' && saysNoReason(test)) {
        problem = { element: name, kind: 'output', attributes: {}, text: '' }
        return true
      }
      return false
    },
    text: (text) => {
      if (problem === null) return
      problem.text += text
      if (problem.text.length > limits.maxStack * 8) problem.text = cutText(problem.text, limits.maxStack * 4)
    },
    close: (name) => {
      depth -= 1
      if (problem !== null) {
        if (name !== problem.element) return
        const read = readProblem(problem.attributes, problem.text, test?.attributes['name'] ?? '', limits)
        if (problem.kind === 'output') test?.problems.failed?.splice(0, 1, read)
        else if (test !== null) keep((test.problems[problem.kind] ??= []), read, limits.maxAttempts)
        else if (problem.kind === 'failed') {
          const suite = suites.at(-1)
          if (suite !== undefined) keep(suite.problems, read, limits.maxAttempts)
        }
        problem = null
      } else if (name === 'testcase' && test !== null) {
        closeTest(test)
        test = null
      } else if (name === 'testsuite' || name === 'testsuites' || name === 'testrun') {
        const suite = suites.pop()
        if (suite !== undefined) closeSuite(suite)
        if (!namesAreUnique()) tries.release()
      }
    },
  }
  return {
    handlers,
    end: () => {
      tries.release()
      const warning = checks.warning()
      if (warning !== null) options.warn(`${fileName}: ${warning}`)
    },
  }
}

/** CTest reports only the output of a failed test. */
function saysNoReason(test: OpenTest | null): boolean {
  const [first, second] = test?.problems.failed ?? []
  return first !== undefined && second === undefined && first.message === null && first.stack === null
}

function isProblem(name: string): name is keyof typeof problemElements {
  return Object.hasOwn(problemElements, name)
}

function keep(problems: Problem[], problem: Problem, max: number) {
  if (problems.length < max) problems.push(problem)
}

const none: readonly Problem[] = []

function outcomeOf(attributes: Attributes, problems: OpenTest['problems'], limits: ReadOptions['limits']) {
  const { failed = none, rerun = none, flaky = none, skipped = none } = problems
  const durationMs = durationOf(attributes['time'])
  if (failed.length > 0) {
    const all = [together(failed, limits), ...rerun]
    const last = all.pop()
    const attempts = all.slice(0, limits.maxAttempts).map(failedTry).map(withoutStack)
    return {
      status: 'failed' as const,
      durationMs,
      message: last?.message ?? null,
      stack: last?.stack ?? null,
      attempts,
    }
  }
  const attempts = withLastStack([...flaky, ...rerun].slice(0, limits.maxAttempts).map(failedTry))
  const isSkipped =
    skipped.length > 0 || skippedStatuses.has((attributes['status'] ?? attributes['result'] ?? '').toLowerCase())
  const status: CaseStatus = isSkipped ? 'skipped' : 'passed'
  return { status, durationMs, message: skipped[0]?.message ?? null, stack: null, attempts }
}

function failedTry({ message, stack, durationMs }: Problem): Attempt {
  return { status: 'failed', durationMs, message, ...(stack !== null && { stack }) }
}

function tidied(placement: Placement, limits: ReadOptions['limits']) {
  const tidy = (text: string) => cutText(plainText(text), limits.maxName)
  const { suite, name, file, line } = placement
  return { suite: tidy(suite), name: tidy(name) || 'test', file, line }
}
