import { z } from 'zod'
import { TestType, type TestRun, TriggerRun } from '../../../core/test-runs/schema.ts'
import { hasEnded, runFact } from '../../answers/run-facts.ts'
import {
  answerRun,
  RunAnswer,
  runAnswerForm,
  runProgress,
  WaitSeconds,
  waitForRun,
} from '../../answers/wait-for-run.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const Input = z.object({
  projectId: Id.optional(),
  branch: TriggerRun.shape.branch,
  commitSha: TriggerRun.shape.commitSha,
  type: TestType.optional(),
  paths: TriggerRun.shape.paths,
  idempotencyKey: TriggerRun.shape.idempotencyKey,
  rerunFailedOf: Id.optional().describe('Instead: runId whose failed tests to repeat'),
  waitSeconds: WaitSeconds,
})
type Input = z.output<typeof Input>

export const triggerRun = defineTool({
  name: 'trigger_run',
  title: 'Run tests',
  description:
    'Runs the tests of a pushed commit, by default the newest of the branch, and returns the same as wait_for_run. ' +
    'Cancelling the call does not cancel the run.',
  scope: 'tests:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  outputSchema: RunAnswer,
  task: (facts) => (hasEnded(facts) ? undefined : `run_${facts.runId}`),
  run: async ({ waitSeconds, ...input }, call) => {
    const run = await start(input, call)
    if (waitSeconds === 0) return answerRun(run, call)
    call.reportProgress(runProgress(runFact(run)))
    try {
      return await answerRun(await waitForRun(run.id, waitSeconds, call), call)
    } catch (error) {
      // An agent that gets an error would start another run.
      const { coreFailure } = await import('../../../client/core-client.ts')
      if (!coreFailure(error)) throw error
      const next = `The run was started, but core did not return its state. Call wait_for_run with runId ${run.id}.`
      return { ...runFact(run), next }
    }
  },
  ...runAnswerForm,
})

function start({ rerunFailedOf, projectId, ...chosen }: Omit<Input, 'waitSeconds'>, { core }: Call): Promise<TestRun> {
  if (rerunFailedOf === undefined) {
    if (projectId === undefined) {
      return refuse('give projectId or rerunFailedOf. list_projects shows the ids.')
    }
    return core.testRuns.trigger.mutate({ projectId, ...chosen })
  }
  const others = Object.entries({ projectId, ...chosen }).filter(([, value]) => value !== undefined)
  if (others.length > 0) {
    const names = others.map(([name]) => name).join(', ')
    refuse(`rerunFailedOf takes project, commit and tests from that run, so leave out ${names}.`)
  }
  return core.testRuns.rerunFailed.mutate({ runId: rerunFailedOf })
}
