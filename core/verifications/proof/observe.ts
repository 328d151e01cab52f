import type { Step } from '../../../engines/test-plan/plan.ts'
import type { RunFacts } from '../../../engines/verdicts/facts.ts'
import { runFacts, wholeRun } from '../../../engines/verdicts/run-facts.ts'
import { ownCases, testTitle } from '../../../engines/verdicts/own-tests.ts'
import type { OutcomeCase, RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { isDoubtful, runMeasured } from '../../workspaces/runner/run-measured.ts'
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
  /** The titles of tests that fail without the new test too. */
  failures: ReadonlySet<string>
  /** The titles of those that do so in random order only. */
  shuffled: ReadonlySet<string>
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
  const knownFailures = failuresIn(known, seed)
  const own = withoutKnown(workspace, knownFailures, ownCases(part, test, outcome, how))
  return { outcome, own, facts: runFacts(outcome, { kind, seed, own, knownFailures }) }
}

/** Returns the titles of known failures in the order of the seed. */
export const failuresIn = ({ failures, shuffled }: Known, seed: string | null): ReadonlySet<string> =>
  seed === null ? failures : failures.union(shuffled)

/**
 * Leaves out failures that became known after the run. Returns null for a run in random order that says nothing about the
 * test, because a known failure ended it early.
 */
export function recount({ workspace }: Pick<Task, 'workspace'>, known: Known, seen: Observed): Observed | null {
  const { outcome, facts } = seen
  const { kind, seed } = facts.run
  const knownFailures = failuresIn(known, seed)
  const own = withoutKnown(workspace, knownFailures, seen.own)
  const again = { outcome, own, facts: runFacts(outcome, { kind, seed, own, knownFailures }) }
  if (seed === null || again.facts.run.failures.length > 0) return again
  const titles = new Set(seen.own.map(testTitle))
  const failed = outcome.cases.some((found) => found.status === 'failed' && knownFailures.has(testTitle(found)))
  const isCut = failed && !known.own.isSubsetOf(titles)
  const isKnown = outcome.problem !== null && knownFailures.has(wholeRun(outcome.problem))
  return isCut || isKnown ? null : again
}

/** Leaves out the tests of a changed file that also fail in the committed version. */
export function withoutKnown(
  { original }: Workspace,
  knownFailures: ReadonlySet<string>,
  own: OutcomeCase[],
): OutcomeCase[] {
  if (original === null) return own
  return own.filter((found) => found.status !== 'failed' || !knownFailures.has(testTitle(found)))
}

interface Measuring extends Execution {
  /** The same step without coverage. */
  unmeasured?: Step
}

/** See `runMeasured`. */
export const run = (workspace: Workspace, { unmeasured, ...execution }: Measuring): Promise<RunOutcome> =>
  runMeasured<Execution>(workspace, execution, unmeasured)
