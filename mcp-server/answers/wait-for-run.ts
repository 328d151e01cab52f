import { z } from 'zod'
import { RunPhase, type TestRun } from '../../core/test-runs/schema.ts'
import { FailureFacts, failureFacts, keepGroups } from './failure-facts.ts'
import { type Progress, progressIn } from '../../client/progress.ts'
import { dataNotice, type Form } from './output.ts'
import { maybe, untrusted } from './untrusted.ts'
import { describeProgress, hasEnded, RunFact, runFact } from './run-facts.ts'
import type { Call } from '../tools/tool.ts'

const maxWaitSeconds = 45

export const WaitSeconds = z.int().min(0).max(maxWaitSeconds).default(maxWaitSeconds)

/** A run, and after its end what failed in it. */
export const RunAnswer = RunFact.extend({
  /** Which state of a checkout was sent. */
  state: maybe(untrusted.line(700)),
  failures: FailureFacts.optional(),
  note: z.string().optional(),
  next: z.string(),
})
export type RunAnswer = z.infer<typeof RunAnswer>

/** Keeps the answer about a failed run short. */
const digestCharacters = 4_000

/** Waits in short steps where the client asks for progress. */
export async function waitForRun(runId: string, waitSeconds: number, call: Call): Promise<TestRun> {
  const deadline = Date.now() + waitSeconds * 1_000
  for (;;) {
    const left = Math.max(0, (deadline - Date.now()) / 1_000)
    const run = await call.core.testRuns.get.query({
      runId,
      waitSeconds: Math.min(left, call.wantsProgress ? 1 : maxWaitSeconds),
    })
    const fact = runFact(run)
    if (hasEnded(fact) || left === 0) return run
    call.reportProgress(runProgress(fact))
  }
}

const phases = RunPhase.options

/** Within a phase the rest is unknown: progress grows with the lines of the log. */
export function runProgress({ runId, queue, progress }: RunFact): Progress {
  const total = phases.length
  // A client that cancels the call keeps the run's id.
  const message = (text: string) => `run ${runId}: ${text}`
  if (!progress) return { done: 0, total, message: message(queue ? `waits, position ${queue.position}` : 'waits') }
  const share = progress.logLines / (progress.logLines + 200)
  return progressIn(phases, progress.phase, share, message(describeProgress(progress)))
}

/** The run, and after its end its failures. */
export async function answerRun(run: TestRun, call: Call): Promise<RunAnswer> {
  const fact = runFact(run)
  const { runId, status } = fact
  if (!hasEnded(fact)) {
    const next = `The run continues. Call wait_for_run with runId ${runId} to wait again, or cancel_run to end it.`
    return { ...fact, next }
  }
  const next = nextStep(fact)
  if (status === 'CANCELLED') return { ...fact, next }
  const digest = await call.core.testRuns.failures.query({ runId, maxCharacters: digestCharacters })
  const failures = failureFacts(digest)
  const { groups, fixed, passedAfterRetry, muted, leftOutByQuarantine, log } = failures
  const hasFacts = groups.length > 0 || fixed || passedAfterRetry || muted || leftOutByQuarantine || log
  return { ...fact, ...(hasFacts ? { failures, note: dataNotice } : {}), next }
}

function nextStep({ runId, projectId, status, snapshotId, tests }: RunFact): string {
  switch (status) {
    case 'FAILED':
      return (
        `Next: fix the cause, ${snapshotId === undefined ? 'push, trigger_run' : 'trigger_run with the same localPath'}. trigger_run with rerunFailedOf ${runId} repeats only the failed tests; ` +
        'get_run_failures with search returns the whole message and stack of a test.'
      )
    case 'ERROR':
      return `Next: get_run_log with runId ${runId} returns the whole log; after fixing the cause, trigger_run.`
    case 'CANCELLED':
      return `Next: trigger_run with projectId ${projectId} starts another run.`
    default:
      return tests?.muted === undefined ? 'Nothing failed.' : 'Only muted tests failed, which do not decide.'
  }
}

export const runAnswerForm: Form<RunAnswer> = {
  cut: ({ failures, ...facts }) =>
    failures && {
      count: failures.groups.length,
      keep: (count) => ({ ...facts, failures: keepGroups(facts.runId, failures, count) }),
    },
}
