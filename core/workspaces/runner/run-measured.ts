import type { PlanPart, Step } from '../../../engines/test-plan/plan.ts'
import type { RunOutcome } from '../../../engines/verdicts/outcome.ts'

/**
 * Runs a step. If a run with coverage fails although no test fails, a coverage threshold may be the cause, so the result
 * of a second run without coverage counts.
 *
 * @param unmeasured - the same step without coverage
 */
export async function runMeasured<Execution extends { step: Step }>(
  { part, run }: { part: Pick<PlanPart, 'unmeasured'>; run: (execution: Execution) => Promise<RunOutcome> },
  execution: Execution,
  unmeasured: Step | undefined,
): Promise<RunOutcome> {
  const outcome = await run(execution)
  if (!isDoubtful(outcome) || unmeasured === undefined || part.unmeasured === undefined) return outcome
  return { ...(await run({ ...execution, step: unmeasured })), coverage: outcome.coverage }
}

/** Whether a coverage threshold may have failed the run. */
export const isDoubtful = ({ problem, coverage }: RunOutcome): boolean =>
  problem?.code === 'command_failed' && coverage !== null
