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
import { LocalPath, refuseBeside, sendCheckout } from '../../answers/send-checkout.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const Input = z.object({
  projectId: Id.optional(),
  localPath: LocalPath,
  branch: TriggerRun.shape.branch,
  commitSha: TriggerRun.shape.commitSha,
  type: TestType.optional(),
  paths: TriggerRun.shape.paths,
  selection: TriggerRun.shape.selection,
  idempotencyKey: TriggerRun.shape.idempotencyKey,
  rerunFailedOf: Id.optional().describe('Instead: runId whose failed tests to repeat'),
  waitSeconds: WaitSeconds,
})
type Input = z.output<typeof Input>

export const triggerRun = defineTool({
  name: 'trigger_run',
  title: 'Run tests',
  description:
    'Runs the tests of a commit, by default the newest of the branch, and returns the same as wait_for_run. ' +
    'Cancelling the call does not cancel the run.',
  scope: 'tests:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: RunAnswer,
  task: (facts) => (hasEnded(facts) ? undefined : `run_${facts.runId}`),
  run: async ({ waitSeconds, ...input }, call) => {
    const { run, state } = await start(input, call)
    if (waitSeconds === 0) return { ...(await answerRun(run, call)), state }
    call.reportProgress(runProgress(runFact(run)))
    try {
      return { ...(await answerRun(await waitForRun(run.id, waitSeconds, call), call)), state }
    } catch (error) {
      // An agent that gets an error would start another run.
      const { coreFailure } = await import('../../../client/core-client.ts')
      if (!coreFailure(error)) throw error
      const next = `The run was started, but core did not return its state. Call wait_for_run with runId ${run.id}.`
      return { ...runFact(run), state, next }
    }
  },
  ...runAnswerForm,
})

interface Started {
  run: TestRun
  /** Which state of a checkout was sent. */
  state?: string
}

async function start(input: Omit<Input, 'waitSeconds'>, call: Call): Promise<Started> {
  const { rerunFailedOf, projectId, localPath, ...chosen } = input
  const { trigger, rerunFailed } = call.core.testRuns
  if (rerunFailedOf !== undefined) {
    const others = Object.entries({ projectId, localPath, ...chosen }).filter(([, value]) => value !== undefined)
    if (others.length > 0) {
      const names = others.map(([name]) => name).join(', ')
      refuse(`rerunFailedOf takes project, commit and tests from that run, so leave out ${names}.`)
    }
    return { run: await rerunFailed.mutate({ runId: rerunFailedOf }) }
  }
  if (localPath !== undefined) {
    const { branch, commitSha, ...how } = chosen
    refuseBeside('localPath', { branch, commitSha })
    const { state, words, ...sent } = await sendCheckout({ localPath, projectId, tool: 'trigger_run' }, call)
    return { run: await trigger.mutate({ projectId: sent.projectId, ...state, ...how }), state: words }
  }
  if (projectId === undefined) {
    return refuse(`give projectId${call.local ? ', localPath' : ''} or rerunFailedOf. list_projects shows the ids.`)
  }
  return { run: await trigger.mutate({ projectId, ...chosen }) }
}
