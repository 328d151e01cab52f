import { z } from 'zod'
import type { PlannedPart, Selection } from '../../../core/test-runs/schema.ts'
import { Label, testName } from '../../answers/failure-facts.ts'
import { dataNotice } from '../../answers/output.ts'
import { Command, hasEnded, RunFact, runFact } from '../../answers/run-facts.ts'
import { first, maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool, Id } from '../tool.ts'

const StepFact = z.object({ directory: maybe(Label), command: Command, because: untrusted.line(200) })

const maxSteps = 20
const maxSelected = 10

export const getRun = defineTool({
  name: 'get_run',
  title: 'Read a run',
  description: 'Returns status, counts, coverage and warnings of a run, and its commands with the reason for each.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({ runId: Id }),
  outputSchema: RunFact.extend({
    /** The paths and tests that the run is limited to; the first ten of each. */
    onlyPaths: maybe(z.array(Label)),
    onlyTests: maybe(z.array(Label)),
    plan: first(maxSteps, StepFact).optional(),
    note: z.string(),
    next: z.string().optional(),
  }),
  run: async ({ runId }, call) => {
    const run = await call.core.testRuns.get.query({ runId })
    const fact = runFact(run)
    const failed = fact.status === 'FAILED' || fact.status === 'ERROR'
    return {
      ...fact,
      ...selectionOf(run.selection),
      plan: run.plan ? stepsOf(run.plan) : undefined,
      note: dataNotice,
      ...(hasEnded(fact) ? {} : { next: `Call wait_for_run with runId ${runId} to wait for its end.` }),
      ...(failed ? { next: `Call get_run_failures with runId ${runId} for the causes.` } : {}),
    }
  },
})

function selectionOf(selection: Selection | null) {
  const { paths = [], tests = [] } = selection ?? {}
  return { onlyPaths: firstOf(paths), onlyTests: firstOf(tests.map(testName)) }
}

const firstOf = (names: string[]) =>
  names.length <= maxSelected ? names : [...names.slice(0, maxSelected), `and ${names.length - maxSelected} more`]

const stepsOf = (parts: readonly PlannedPart[]) =>
  parts.flatMap(({ directory, steps }) => steps.map((step) => ({ ...step, directory })))
