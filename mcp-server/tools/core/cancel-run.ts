import { z } from 'zod'
import { RunFact, runFact } from '../../answers/run-facts.ts'
import { defineTool, Id } from '../tool.ts'

export const cancelRun = defineTool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description: 'Ends a queued or running test run without results. A run that has ended does not change.',
  scope: 'tests:run',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({ runId: Id }),
  outputSchema: RunFact.extend({ next: z.string() }),
  run: async ({ runId }, call) => {
    const run = runFact(await call.core.testRuns.cancel.mutate({ runId }))
    const next =
      run.status === 'CANCELLED'
        ? `trigger_run with projectId ${run.projectId} starts another run.`
        : `The run had already ended. get_run with runId ${runId} returns the details.`
    return { ...run, next }
  },
})
