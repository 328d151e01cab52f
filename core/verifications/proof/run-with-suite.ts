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
  known: Known
}

export interface Suite {
  /**
   * Runs all tests until they ran `turns` times, the first time with coverage. Stops before if a test is broken, or if the
   * time is over.
   *
   * @param known - what the runs of the test alone showed
   */
  runTo(turns: number, known: Known): Promise<RunsWithSuite>
}

const minWallMs = 60_000
const budgetMs = 300_000
/** Limits the checks if other tests of the project are flaky. */
const maxChecks = 3

/** Prepares runs of all tests of the project together with the new test. */
export function suiteWith(task: Task, baseline: KnownBaseline): Suite {
  const { workspace, settings } = task
  const wallMs = Math.min(settings.timeoutSeconds * 1_000, minWallMs + 4 * baseline.shown.durationMs)
  const runs: Observed[] = []
  const breakChecks: BreakCheck[] = []
  let known: Known | undefined
  let begunTurns = 0
  let takenMs = 0
  let slowest = 0
  let isOver = false

  const runOnce = async (given: Known): Promise<Known> => {
    const isFirst = begunTurns === 0
    const seed = isFirst ? null : seedOf(task, begunTurns - 1)
    const unmeasured = suiteStep(workspace.partWithTest, { coverage: false, seed })
    const step = isFirst ? suiteStep(workspace.partWithTest, { coverage: true }) : unmeasured
    const seen = await observe(task, given, { kind: 'suite', seed, step, unmeasured, wallMs, warmsUp: isFirst })
    slowest = Math.max(slowest, seen.outcome.execution.usage.wallMs)
    const checked = await check(task, given, seen, { wallMs, withOriginal: baseline.needsOriginal })
    const counted = recount(task, checked.known, seen)
    // The run says nothing about the test, because a failure of the commit ended it early.
    if (counted === null) return checked.known
    runs.push(counted)
    const { breakCheck } = checked
    if (breakCheck) breakChecks.push(breakCheck)
    const { outcome, failures, broke } = counted.facts.run
    const isSettled = breakCheck !== undefined && (isConfirmed(breakCheck) || breakChecks.length === maxChecks)
    isOver = isSettled || failures.length > 0 || (outcome !== 'passed' && broke.length === 0 && !breakCheck)
    return checked.known
  }
  return {
    async runTo(turns, alone) {
      let now = known ? { ...union(known, alone), own: alone.own } : alone
      for (; begunTurns < turns; begunTurns += 1) {
        if (isOver) break
        if (runs.length > 0 && takenMs + slowest > budgetMs) {
          task.warn(
            `The test ran with all other tests ${times(runs.length)} instead of ${turns} times, because they take too long together.`,
          )
          isOver = true
          break
        }
        task.report('repeating', begunTurns, turns)
        const begun = performance.now()
        now = await runOnce(now)
        takenMs += performance.now() - begun
      }
      known = now
      return { runs: [...runs], breakChecks: [...breakChecks], known: now }
    },
  }
}

const union = (one: Known, other: Known) => ({
  failures: one.failures.union(other.failures),
  shuffled: one.shuffled.union(other.shuffled),
})

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
