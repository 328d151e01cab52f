import type { RunFacts } from './judge/facts.ts'
import { runFacts } from './judge/run-facts.ts'
import { ownCases } from './runner/own-tests.ts'
import type { OutcomeCase, RunOutcome } from './runner/outcome.ts'
import type { Task } from './task.ts'
import type { Execution } from './workspace.ts'

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

export async function observe(
  { workspace }: Pick<Task, 'workspace'>,
  known: Known,
  { kind, seed, ...execution }: Omit<Execution, 'withTest'> & { kind: 'alone' | 'suite'; seed: string | null },
): Promise<Observed> {
  const { part, test } = workspace
  const outcome = await workspace.run({ ...execution, withTest: true })
  const how = kind === 'alone' ? ({ alone: true } as const) : ({ alone: false, known: known.own } as const)
  const own = ownCases(part, test, outcome, how)
  return { outcome, own, facts: runFacts(outcome, { kind, seed, own, knownFailures: known.failures }) }
}
