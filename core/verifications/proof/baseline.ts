import { withRetry } from '../../base/retry.ts'
import { loadKeptResult, storeKeptResult } from '../../workspaces/kept-results.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { percentOf } from '../../../engines/verdicts/coverage-gain.ts'
import { run } from './observe.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import type { Measured, RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { suiteStep } from '../../workspaces/runner/steps.ts'
import type { Baseline } from '../../../engines/verdicts/schema.ts'
import type { Task } from './task.ts'

/** The results of the project's own tests without the new test. */
export interface KnownBaseline {
  shown: Omit<Baseline, 'cached'>
  /** The titles of the failing tests. */
  failures: string[]
  coverage: Measured | null
  /** Whether other tests fail without the committed test. The baseline then includes it. */
  needsOriginal: boolean
}

const shownFailures = 50

export type FoundBaseline = KnownBaseline & { cached: boolean }

/** Loads the results of an earlier run under the same conditions. Returns null if there are none. */
export async function loadBaseline(task: Task, key: string): Promise<FoundBaseline | null> {
  if (task.isFirst) return { ...none, cached: false }
  const { ctx, verification } = task
  const known = await withRetry(() => loadKeptResult<KnownBaseline>(ctx, verification.projectId, key), ctx.signal)
  return known ? { ...known, cached: true } : null
}

/**
 * Runs the project's own tests, and keeps the results.
 *
 * @throws RunFailure if the tests give no result
 */
export async function runBaseline(task: Task, key: string): Promise<FoundBaseline> {
  const { ctx, verification } = task
  task.report('baseline')
  const measured = await measureBaseline(task)
  await withRetry(() => storeKeptResult(ctx, verification.projectId, key, measured), ctx.signal)
  return { ...measured, cached: false }
}

/** The baseline of a project without tests. */
const none: KnownBaseline = {
  shown: { outcome: 'passed', totalTests: 0, knownFailures: [], failedTests: 0, coverage: null, durationMs: 0 },
  failures: [],
  coverage: { files: {} },
  needsOriginal: false,
}

async function measureBaseline({ workspace, settings }: Task): Promise<KnownBaseline> {
  const step = suiteStep(workspace.part, { coverage: true })
  const unmeasured = suiteStep(workspace.part, { coverage: false })
  const wallMs = settings.timeoutSeconds * 1_000
  const how = { step, unmeasured, wallMs, withTest: false, warmsUp: true }
  const without = await run(workspace, how)
  if (without.problem?.code === 'no_tests') return none
  const isSound = without.problem === null && without.totals.failedTests === 0
  const whole = isSound || !workspace.isCommitted ? null : await run(workspace, { ...how, withOriginal: true })
  const needsOriginal = whole !== null && isHealed(without, whole)
  const outcome = needsOriginal ? whole : without
  if (outcome.problem) throw new RunFailure(outcome.problem.code, withOutput(outcome.problem.message, outcome))
  const failures = failuresOf(outcome)
  const { coverage, totals, execution } = outcome
  return {
    shown: {
      outcome: totals.failedTests === 0 ? 'passed' : 'failed',
      totalTests: totals.totalTests,
      knownFailures: failures.slice(0, shownFailures),
      failedTests: totals.failedTests,
      coverage: coverage && percentOf(coverage, workspace.test.path),
      durationMs: execution.usage.wallMs,
    },
    failures,
    coverage,
    needsOriginal,
  }
}

const failuresOf = ({ cases }: RunOutcome) => cases.filter(({ status }) => status === 'failed').map(testTitle)

/** Whether a test that fails without the committed test passes with it. */
function isHealed(without: RunOutcome, whole: RunOutcome): boolean {
  if (whole.problem !== null) return false
  const still = new Set(failuresOf(whole))
  return without.problem !== null || failuresOf(without).some((title) => !still.has(title))
}

const shownOutput = 2_000

const withOutput = (message: string, { output }: RunOutcome) =>
  output.trim() === '' ? message : `${message} The output ended with:\n${output.trim().slice(-shownOutput)}`
