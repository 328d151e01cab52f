import { z } from 'zod'
import { RunPhase, type TestRun } from '../../core/test-runs/schema.ts'
import { FailureFacts, failureFacts, keepGroups, renderFailures } from './failure-facts.ts'
import { dataNotice } from './output.ts'
import { hasEnded, RunFact, runFact, renderProgress, renderRun } from './run-facts.ts'
import type { Call } from '../tools/tool.ts'

export const longestWaitSeconds = 45

export const WaitSeconds = z.int().min(0).max(longestWaitSeconds).default(longestWaitSeconds)

/** A run, and once it has ended what failed in it. */
export const RunAnswer = RunFact.extend({
  failures: FailureFacts.optional(),
  note: z.string().optional(),
  next: z.string(),
})
export type RunAnswer = z.infer<typeof RunAnswer>

/** So much that the way from a red run to its cause stays short. */
const digestCharacters = 4_000

/** With a client that listens, waits in short steps so that it hears of progress. */
export async function waitForRun(runId: string, waitSeconds: number, call: Call): Promise<TestRun> {
  const deadline = Date.now() + waitSeconds * 1_000
  for (;;) {
    const left = Math.max(0, (deadline - Date.now()) / 1_000)
    const run = await call.core.testRuns.get.query({
      runId,
      waitSeconds: Math.min(left, call.wantsProgress ? 1 : longestWaitSeconds),
    })
    const fact = runFact(run)
    if (hasEnded(fact) || left === 0) return run
    call.reportProgress(runProgress(fact))
  }
}

const phases = RunPhase.options

/** Within a phase nobody knows how much is left, but that something happens shows in the log. */
export function runProgress({ runId, queue, progress }: RunFact): { done: number; total: number; message: string } {
  const total = phases.length
  // A call that is given up leaves the run's id behind.
  const says = (what: string) => `run ${runId}: ${what}`
  if (!progress) return { done: 0, total, message: says(queue ? `waits, position ${queue.position}` : 'waits') }
  const share = progress.logLines / (progress.logLines + 200)
  const done = Number((phases.indexOf(progress.phase) + share).toFixed(3))
  return { done, total, message: says(renderProgress(progress)) }
}

/** The run as it is, with the digest of its failures if it has ended. */
export async function answerRun(run: TestRun, call: Call): Promise<RunAnswer> {
  const fact = runFact(run)
  const { runId, status } = fact
  if (!hasEnded(fact)) {
    const next = `It goes on. Call wait_for_run with runId ${runId} to go on waiting, or cancel_run to end it.`
    return { ...fact, next }
  }
  const next = nextStep(fact)
  if (status === 'CANCELLED') return { ...fact, next }
  const digest = await call.core.testRuns.failures.query({ runId, maxCharacters: digestCharacters })
  const failures = failureFacts(digest)
  const tells = failures.groups.length > 0 || failures.fixed || failures.passedAfterRetry || failures.log !== undefined
  return { ...fact, ...(tells ? { failures, note: dataNotice } : {}), next }
}

function nextStep({ runId, projectId, status }: RunFact): string {
  switch (status) {
    case 'FAILED':
      return (
        `Next: mend it, push, trigger_run. trigger_run with rerunFailedOf ${runId} only repeats what failed; ` +
        'get_run_failures with search for a test has its whole message and stack.'
      )
    case 'ERROR':
      return `Next: get_run_log with runId ${runId} has the whole log; once the reason is mended, trigger_run.`
    case 'CANCELLED':
      return `Next: trigger_run with projectId ${projectId} starts another.`
    default:
      return 'Nothing failed.'
  }
}

export const runAnswerForm = {
  render: (facts: RunAnswer): string => {
    const { failures, note, next, ...run } = facts
    return [
      ...renderRun(run),
      ...(note ? [note] : []),
      ...(failures ? renderFailures(run.runId, failures) : []),
      next,
    ].join('\n')
  },
  list: {
    count: ({ failures }: RunAnswer) => failures?.groups.length ?? 0,
    keep: (facts: RunAnswer, count: number): RunAnswer =>
      facts.failures ? { ...facts, failures: keepGroups(facts.failures, count) } : facts,
  },
}
