import type { Step } from '../../../engines/test-plan/plan.ts'
import type { RunFacts } from '../../../engines/verdicts/facts.ts'
import { runFacts } from '../../../engines/verdicts/run-facts.ts'
import { ownCases } from '../../../engines/verdicts/own-tests.ts'
import type { OutcomeCase, RunOutcome } from '../../../engines/verdicts/outcome.ts'
import type { Task } from './task.ts'
import type { Execution, Workspace } from './workspace.ts'

/** A run with the test in its place. */
export interface Observed {
  outcome: RunOutcome
  /** The cases that are tests of the file. */
  own: OutcomeCase[]
  facts: RunFacts
}

/** What is known of the project's tests when the test is run. */
export interface Known {
  failures: ReadonlySet<string>
  /** Titles of the test's own, for reports that name no files; empty until it has run alone. */
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
  // Where coverage cannot be left out, one file is below any threshold.
  const isOfThreshold = kind === 'alone' && part.unmeasured === undefined && isDoubtful(seen)
  const outcome = isOfThreshold ? { ...seen, problem: null } : seen
  const how = kind === 'alone' ? ({ alone: true } as const) : ({ alone: false, known: known.own } as const)
  const own = ownCases(part, test, outcome, how)
  return { outcome, own, facts: runFacts(outcome, { kind, seed, own, knownFailures: known.failures }) }
}

interface Measuring extends Execution {
  /** Of a step that measures coverage, the same without. */
  unmeasured?: Step
}

/**
 * Runs the step. Where coverage was measured and the process fails though no test does, a threshold may have been
 * missed, of which tests know nothing: what the same comes to without coverage is believed.
 */
export async function run(workspace: Workspace, { unmeasured, ...execution }: Measuring): Promise<RunOutcome> {
  const outcome = await workspace.run(execution)
  if (!isDoubtful(outcome) || unmeasured === undefined || workspace.part.unmeasured === undefined) return outcome
  return { ...(await workspace.run({ ...execution, step: unmeasured })), coverage: outcome.coverage }
}

const isDoubtful = ({ problem, coverage }: RunOutcome) => problem?.code === 'command_failed' && coverage !== null
