import type { KnownBaseline } from './baseline.ts'
import type { BreakCheck } from '../../../engines/verdicts/facts.ts'
import { brokenTests } from '../../../engines/verdicts/run-facts.ts'
import { type Known, observe, type Observed } from './observe.ts'
import { seedOf } from './run-alone.ts'
import { suiteStep } from '../runner/steps.ts'
import { times } from '../../../engines/verdicts/sentences.ts'
import type { Task } from './task.ts'

export interface RunsWithSuite {
  runs: Observed[]
  breakChecks: BreakCheck[]
}

const minWallMs = 60_000
const budgetMs = 300_000
/** Limits the checks if other tests of the project are flaky. */
const maxChecks = 3

/**
 * Runs all tests of the project together with the new test, as often as the test ran alone, within a time budget. Stops
 * as soon as a test is broken. The first run measures coverage.
 */
export async function runWithSuite(task: Task, baseline: KnownBaseline, known: Known): Promise<RunsWithSuite> {
  const { workspace, verification, settings } = task
  const { repeats } = verification
  const wallMs = Math.min(settings.timeoutSeconds * 1_000, minWallMs + 4 * baseline.shown.durationMs)
  const runs: Observed[] = []
  const breakChecks: BreakCheck[] = []
  const begun = performance.now()
  let slowest = 0
  while (runs.length < repeats) {
    const elapsed = performance.now() - begun
    if (runs.length > 0 && elapsed + slowest > budgetMs) {
      task.warn(
        `The test ran with all other tests ${times(runs.length)} instead of ${repeats} times, because they take too long together.`,
      )
      break
    }
    task.report('repeating', runs.length, repeats)
    const isFirst = runs.length === 0
    const seed = isFirst ? null : seedOf(task, runs.length - 1)
    const unmeasured = suiteStep(workspace.partWithTest, { coverage: false, seed })
    const step = isFirst ? suiteStep(workspace.partWithTest, { coverage: true }) : unmeasured
    const seen = await observe(task, known, { kind: 'suite', seed, step, unmeasured, wallMs, warmsUp: isFirst })
    slowest = Math.max(slowest, seen.outcome.execution.usage.wallMs)
    runs.push(seen)
    if (brokenTests(seen.outcome, seen.own, known.failures).length > 0) {
      const check = await checkBreak(task, known, seen, { wallMs, withOriginal: baseline.needsOriginal })
      breakChecks.push(check)
      if (isConfirmed(check) || breakChecks.length === maxChecks) break
    } else if (seen.facts.run.outcome !== 'passed') {
      break
    }
  }
  return { runs, breakChecks }
}

/** Whether a test fails in every run with the new test, and passes without it. */
const isConfirmed = ({ failedWith: [first = [], ...again], failedWithout }: BreakCheck) =>
  first.some(
    (title) =>
      again.every((titles) => titles.includes(title)) && failedWithout.every((titles) => !titles.includes(title)),
  )

/** Checks whether the new test breaks others: runs the same order without it, and then with it again. */
async function checkBreak(
  task: Task,
  known: Known,
  seen: Observed,
  { wallMs, withOriginal }: { wallMs: number; withOriginal: boolean },
): Promise<BreakCheck> {
  const { workspace } = task
  const { seed } = seen.facts.run
  const step = suiteStep(workspace.part, { coverage: false, seed })
  const without = await workspace.run({ step, wallMs, withTest: false, withOriginal })
  const stepWithTest = suiteStep(workspace.partWithTest, { coverage: false, seed })
  const again = await observe(task, known, { kind: 'suite', seed, step: stepWithTest, wallMs })
  return {
    failedWith: [seen, again].map(({ outcome, own }) => brokenTests(outcome, own, known.failures)),
    failedWithout: [brokenTests(without, [], known.failures)],
  }
}
