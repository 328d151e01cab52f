import { limitConcurrency } from '../../base/limit-concurrency.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { OutcomeCase, RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import { allSettled } from '../../base/all-settled.ts'
import { mergeOutcomes } from './outcomes.ts'
import type { SideRuns } from './run-sides.ts'
import { type PartRun, type Restriction, runSome, type Side } from './side.ts'
import type { Task } from './task.ts'

/** What runs again on one side. */
export interface Repetition {
  side: Side
  restrictions: ReadonlyMap<PlanPart, Restriction>
  wallMs: number
  /** Receives the outcome of each run of all the parts. */
  add: (outcome: RunOutcome) => void
}

/**
 * Runs tests again, before any of them is called broken, fixed or flaky. Returns whether all wanted runs were possible
 * within the time for the work.
 */
export async function repeat(
  task: Task,
  repetitions: readonly Repetition[],
  { times, atOnce }: { times: number; atOnce: number },
): Promise<boolean> {
  const wanted = repetitions
    .filter(({ restrictions }) => restrictions.size > 0)
    .flatMap((repetition) => Array.from({ length: times }, () => repetition))
  if (wanted.length === 0) return true
  const inSlot = limitConcurrency(atOnce)
  let done = 0
  let isComplete = true
  task.report('repeating', 0, wanted.length)
  await allSettled(
    wanted.map(({ side, restrictions, wallMs, add }) =>
      inSlot(async () => {
        if (task.time.isOver()) {
          isComplete = false
          return
        }
        const outcomes: RunOutcome[] = []
        for (const [part, restriction] of restrictions) {
          outcomes.push(await runSome(side, part, restriction, { wallMs, beside: atOnce }))
        }
        const outcome = mergeOutcomes(outcomes)
        if (outcome) add(outcome)
        task.report('repeating', ++done, wanted.length)
      }),
    ),
  )
  return isComplete
}

/**
 * Returns the tests of one side whose results differ between the sides, and the given files.
 *
 * @param failing - titles of tests that fail on both sides, and that are wanted, too
 */
export function restrictionsOf(
  own: Pick<SideRuns, 'first'>,
  other: Pick<SideRuns, 'first'>,
  files: ReadonlyMap<PlanPart, readonly TestFile[]>,
  failing: ReadonlySet<string> = new Set(),
): Map<PlanPart, Restriction> {
  const failedThere = failuresOf(other.first)
  const failedHere = failuresOf(own.first)
  const restrictions = new Map<PlanPart, Restriction>()
  for (const { part, outcome } of own.first) {
    // A run that did not end says little about single tests, and another one would take as long.
    if (outcome.problem !== null && outcome.problem.code !== 'command_failed') continue
    const ofPart = files.get(part) ?? []
    const known = new Set(ofPart.map(({ path }) => path))
    const suspects = outcome.cases.filter(
      (found) =>
        (failedHere.has(testTitle(found)) !== failedThere.has(testTitle(found)) || failing.has(testTitle(found))) &&
        !(found.file !== null && known.has(found.file)),
    )
    const restriction = restrict(part, ofPart, suspects)
    if (restriction.files.length + restriction.cases.length > 0) restrictions.set(part, restriction)
  }
  return restrictions
}

/** What fails anyway runs again only if that takes little time, however many tests of a project fail. */
const maxFailing = 10
const maxFailingMs = 10_000

/**
 * Chooses tests that fail on both sides to run again: the fastest files, or in Go the fastest tests. Tests that cannot be
 * loaded are not flaky.
 *
 * @returns their titles
 */
export function failingOnBoth(head: Pick<SideRuns, 'first'>, base: Pick<SideRuns, 'first'>): Set<string> {
  const failedThere = failuresOf(base.first)
  const isFailing = (found: OutcomeCase) =>
    found.status === 'failed' && found.kind !== 'not_built' && failedThere.has(testTitle(found))
  const groups = head.first.flatMap(({ part, outcome }) => {
    const { wallMs } = outcome.execution.usage
    const isRestricted = part.framework !== null && part.targetCount !== undefined
    const byPlace = Map.groupBy(outcome.cases, (found) => (isByFile(part, found) ? found.file : testTitle(found)))
    return [...byPlace.values()].flatMap((cases) => {
      const titles = cases.filter(isFailing).map(testTitle)
      const known = cases.reduce((sum, { durationMs }) => sum + (durationMs ?? wallMs), 0)
      return titles.length === 0 ? [] : { titles, takesMs: isRestricted ? known : wallMs }
    })
  })
  const chosen: string[] = []
  let leftMs = maxFailingMs
  for (const { titles, takesMs } of groups.toSorted((a, b) => a.takesMs - b.takesMs).slice(0, maxFailing)) {
    leftMs -= takesMs
    if (leftMs >= 0) chosen.push(...titles)
  }
  return new Set(chosen)
}

/** Whole files run again if reports name them, because a runner may report the tests that a name excludes. */
const isByFile = (part: PlanPart, { file }: OutcomeCase) => file !== null && part.framework !== 'go test'

function restrict(part: PlanPart, files: readonly TestFile[], suspects: readonly OutcomeCase[]): Restriction {
  const named = new Set(suspects.flatMap((found) => (isByFile(part, found) ? (found.file ?? []) : [])))
  const cases = suspects
    .filter((found) => !isByFile(part, found))
    .map(({ suite, name, file }) => ({ suite, name, file }))
  return { files: [...files, ...[...named].map((path) => ({ path, code: '' }))], cases }
}

/** Returns the titles of failed tests. */
export const failuresOf = (runs: readonly PartRun[]): Set<string> =>
  new Set(runs.flatMap(({ outcome }) => outcome.cases.filter(({ status }) => status === 'failed').map(testTitle)))
