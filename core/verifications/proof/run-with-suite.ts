import type { KnownBaseline } from './baseline.ts'
import type { BreakCheck } from '../../../engines/verdicts/facts.ts'
import { brokenTests } from '../../../engines/verdicts/run-facts.ts'
import { failuresIn, type Known, observe, type Observed, recount } from './observe.ts'
import { committedFailures, compareOrders, seedOf } from './orders.ts'
import { suiteStep } from '../../workspaces/runner/steps.ts'
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
export async function runWithSuite(
  task: Task,
  baseline: KnownBaseline,
  given: Known,
): Promise<RunsWithSuite & { known: Known }> {
  const { workspace, verification, settings } = task
  const { repeats } = verification
  const wallMs = Math.min(settings.timeoutSeconds * 1_000, minWallMs + 4 * baseline.shown.durationMs)
  const runs: Observed[] = []
  const breakChecks: BreakCheck[] = []
  const begun = performance.now()
  let known = given
  let slowest = 0
  for (let index = 0; index < repeats; index += 1) {
    const elapsed = performance.now() - begun
    if (runs.length > 0 && elapsed + slowest > budgetMs) {
      task.warn(
        `The test ran with all other tests ${times(runs.length)} instead of ${repeats} times, because they take too long together.`,
      )
      break
    }
    task.report('repeating', runs.length, repeats)
    const isFirst = index === 0
    const seed = isFirst ? null : seedOf(task, index - 1)
    const unmeasured = suiteStep(workspace.partWithTest, { coverage: false, seed })
    const step = isFirst ? suiteStep(workspace.partWithTest, { coverage: true }) : unmeasured
    const seen = await observe(task, known, { kind: 'suite', seed, step, unmeasured, wallMs, warmsUp: isFirst })
    slowest = Math.max(slowest, seen.outcome.execution.usage.wallMs)
    const checked = await check(task, known, seen, { wallMs, withOriginal: baseline.needsOriginal })
    known = checked.known
    const counted = recount(task, known, seen)
    // The run says nothing about the test, because a failure of the commit ended it early.
    if (counted === null) continue
    runs.push(counted)
    if (checked.breakCheck) {
      breakChecks.push(checked.breakCheck)
      if (isConfirmed(checked.breakCheck) || breakChecks.length === maxChecks) break
    }
    const { outcome, failures, broke } = counted.facts.run
    if (failures.length > 0 || (outcome !== 'passed' && broke.length === 0 && !checked.breakCheck)) break
  }
  return { runs, breakChecks, known }
}

/** Whether a test fails in every run with the new test, and passes without it. */
const isConfirmed = ({ failedWith: [first = [], ...again], failedWithout }: BreakCheck) =>
  first.some(
    (title) =>
      again.every((titles) => titles.includes(title)) && failedWithout.every((titles) => !titles.includes(title)),
  )

/**
 * Checks whether the new test causes the failures of a run: runs the same order with it again, and several orders without
 * it. Returns a break check if tests failed that do not fail without it.
 */
async function check(
  task: Task,
  known: Known,
  seen: Observed,
  { wallMs, withOriginal }: { wallMs: number; withOriginal: boolean },
): Promise<{ known: Known; breakCheck?: BreakCheck }> {
  const { workspace } = task
  const { seed } = seen.facts.run
  const before = failuresIn(known, seed)
  const broken = brokenTests(seen.outcome, seen.own, before)
  const how = {
    kind: 'suite',
    seed,
    step: suiteStep(workspace.partWithTest, { coverage: false, seed }),
    wallMs,
  } as const
  const again = broken.length === 0 ? null : await observe(task, known, how)
  const brokenAgain = again === null ? [] : brokenTests(again.outcome, again.own, before)
  const suspects = [...broken.filter((title) => brokenAgain.includes(title)), ...committedFailures(task, seen)]
  const run = (order: string | null) =>
    workspace.run({
      step: suiteStep(workspace.part, { coverage: false, seed: order }),
      wallMs,
      withTest: false,
      withOriginal,
    })
  const compared = await compareOrders(task, { suspects, seed, known, run })
  const excused = failuresIn(compared.known, seed)
  if (broken.every((title) => excused.has(title))) return { known: compared.known }
  return {
    known: compared.known,
    breakCheck: { failedWith: [broken, brokenAgain], failedWithout: compared.failed },
  }
}
