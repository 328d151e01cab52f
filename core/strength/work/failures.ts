import type { Tally } from '../../../engines/strength/tally.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'

/** The names of the runners or commands of parts. */
export const runnersOf = (parts: readonly PlanPart[]): string =>
  [...new Set(parts.map(({ framework, test }) => framework ?? test.command))].join(', ')

export function noDriver(parts: readonly PlanPart[]): RunFailure {
  return new RunFailure(
    'unsupported',
    `Assay cannot keep ${runnersOf(parts)} loaded while it tries changes of the code. It can do so with Vitest, Jest, mocha, node:test, pytest, unittest and go test. Verify single tests instead.`,
  )
}

export function noTests({ errors: [error] }: Tally, isOver: boolean): RunFailure {
  if (isOver && error === undefined) {
    return new RunFailure(
      'budget_used',
      'The time was over before the tests had run once. Measure again: with most runners, test files that have ended need not run again to see what they reach. Or use a larger budget.',
    )
  }
  const why =
    error === undefined
      ? 'No test ran, or the tests damaged the record of it.'
      : `Assay could not try mutants with these tests. ${error}`
  return new RunFailure('no_tests', `${why} A test run shows what the test command prints.`)
}
