import type { Step } from '../../../engines/test-plan/plan.ts'
import type { RunFacts } from '../../../engines/verdicts/facts.ts'
import { runFacts } from '../../../engines/verdicts/run-facts.ts'
import { ownCases, testTitle } from '../../../engines/verdicts/own-tests.ts'
import type { OutcomeCase, RunOutcome } from '../../../engines/verdicts/outcome.ts'
import type { Task } from './task.ts'
import type { Execution, Workspace } from './workspace.ts'

/** A run that includes the test. */
export interface Observed {
  outcome: RunOutcome
  /** The test cases of the file. */
  own: OutcomeCase[]
  facts: RunFacts
}

/** What is known about the project's tests when the test runs. */
export interface Known {
  failures: ReadonlySet<string>
  /** The titles of the test's own cases, for reports without file names; empty until the test has run alone. */
  own: ReadonlySet<string>
}

type Observation = Omit<Measuring, 'withTest'> & { kind: 'alone' | 'suite'; seed: string | null }

export async function observe(
  { workspace }: Pick<Task, 'workspace'>,
  known: Known,
  { kind, seed, ...execution }: Observation,
): Promise<Observed> {
  const { part, test } = workspace
  const seen = await run(workspace, { ...execution, withTest: true })
  // If coverage cannot be turned off, a single file always misses a coverage threshold.
  const isOfThreshold = kind === 'alone' && part.unmeasured === undefined && isDoubtful(seen)
  const outcome = isOfThreshold ? { ...seen, problem: null } : seen
  const how = kind === 'alone' ? ({ alone: true } as const) : ({ alone: false, known: known.own } as const)
  const own = withoutKnown(workspace, known, ownCases(part, test, outcome, how))
  return { outcome, own, facts: runFacts(outcome, { kind, seed, own, knownFailures: known.failures }) }
}

/** Leaves out the tests of a changed file that also fail in the committed version. */
export function withoutKnown({ original }: Workspace, { failures }: Known, own: OutcomeCase[]): OutcomeCase[] {
  if (original === null) return own
  return own.filter((found) => found.status !== 'failed' || !failures.has(testTitle(found)))
}

interface Measuring extends Execution {
  /** The same step without coverage. */
  unmeasured?: Step
}

/**
 * Runs a step. If a run with coverage fails although no test fails, a coverage threshold may be the cause, so the result
 * of a second run without coverage counts.
 */
export async function run(workspace: Workspace, { unmeasured, ...execution }: Measuring): Promise<RunOutcome> {
  const outcome = await workspace.run(execution)
  if (!isDoubtful(outcome) || unmeasured === undefined || workspace.part.unmeasured === undefined) return outcome
  return { ...(await workspace.run({ ...execution, step: unmeasured })), coverage: outcome.coverage }
}

const isDoubtful = ({ problem, coverage }: RunOutcome) => problem?.code === 'command_failed' && coverage !== null
