import { z } from 'zod'
import { hasEnded } from '../../answers/run-facts.ts'
import { answerRun, RunAnswer, runAnswerForm, WaitSeconds, waitForRun as wait } from '../../answers/wait-for-run.ts'
import { defineTool, Id } from '../tool.ts'

export const waitForRun = defineTool({
  name: 'wait_for_run',
  title: 'Wait for a run',
  description:
    'Waits until a run ends. For a failed run it returns the causes with file and line. ' +
    'Call again while it is PENDING or RUNNING.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({ runId: Id, waitSeconds: WaitSeconds }),
  outputSchema: RunAnswer,
  task: (facts) => (hasEnded(facts) ? undefined : `run_${facts.runId}`),
  run: async ({ runId, waitSeconds }, call) => answerRun(await wait(runId, waitSeconds, call), call),
  ...runAnswerForm,
})
