import { performance } from 'node:perf_hooks'
import type { PlanPart, Step } from '../../../engines/test-plan/plan.ts'
import type { OutcomeCase, RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import { allSettled } from '../../base/all-settled.ts'
import { howManyFit } from '../../workspaces/runner/at-once.ts'

/** The test to repeat. */
export interface RepeatedTest {
  suite: string
  name: string
  file: string | null
}

export interface Repetitions {
  runs: number
  passed: number
  failed: number
  /** The first command as a person would type it; null if the test never ran. */
  command: string | null
  errors: string[]
  /** Why runs say nothing: the test was not in the report, or the run ended early. */
  problems: string[]
  /** The longest run. */
  slowestMs: number
}

export interface Repeating {
  part: PlanPart
  test: RepeatedTest
  /** Returns the command of a repetition, by its number from 0. */
  stepOf: (repetition: number) => Step
  times: number
  wallMs: number
  /** No further repetition starts after this time of `performance.now()`. */
  deadline: number
  memoryBytes: number
  run: (execution: {
    part: PlanPart
    step: Step
    wallMs: number
    beside?: number
    warmsUp?: boolean
  }) => Promise<RunOutcome>
  report: (done: number, total: number) => void
}

/** Runs a command again and again until the test fails, or has run often enough, or the time is up. */
export async function repeat(repeating: Repeating): Promise<Repetitions> {
  const { part, test, stepOf, times, wallMs, deadline, memoryBytes, run, report } = repeating
  const found: Repetitions = { runs: 0, passed: 0, failed: 0, command: null, errors: [], problems: [], slowestMs: 0 }
  const count = (outcome: RunOutcome) => {
    found.slowestMs = Math.max(found.slowestMs, outcome.execution.usage.wallMs)
    const own = outcome.cases.filter((each) => isSame(test, each) && each.status !== 'skipped')
    if (own.length === 0) {
      found.problems.push(outcome.problem?.message ?? 'The report does not contain the test.')
      return
    }
    found.runs++
    const failure = own.find(({ status, passedOnRetry }) => status === 'failed' || passedOnRetry)
    if (!failure) found.passed++
    else {
      found.failed++
      found.errors.push(failure.message ?? '')
    }
    report(found.runs, times)
  }
  report(0, times)
  const first = stepOf(0)
  found.command = first.short ?? first.command
  const outcome = await run({ part, step: first, wallMs, warmsUp: true })
  count(outcome)
  const atOnce = howManyFit(memoryBytes, outcome.execution.usage.peakMemoryBytes)
  const inSlot = limitConcurrency(atOnce)
  const isOver = () => found.failed > 0 || found.problems.length > maxProblems || performance.now() > deadline
  const others = Array.from({ length: times - 1 }, (_, index) =>
    inSlot(async () => {
      if (isOver()) return
      count(await run({ part, step: stepOf(index + 1), wallMs, beside: atOnce }))
    }),
  )
  await allSettled(others)
  return found
}

const maxProblems = 2

/** Reports may leave out the file, and name a suite with its file. */
const isSame = (test: RepeatedTest, { suite, name, file }: OutcomeCase) =>
  name === test.name && suite === test.suite && (file === null || test.file === null || file === test.file)
