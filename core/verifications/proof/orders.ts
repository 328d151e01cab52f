import { brokenTests, isWholeRun, wholeRun } from '../../../engines/verdicts/run-facts.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import type { RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { listed } from '../../../engines/verdicts/sentences.ts'
import { aloneStep, canShuffle } from '../../workspaces/runner/steps.ts'
import { digest } from '../../workspaces/digest.ts'
import { type Known, type Observed, recount } from './observe.ts'
import type { Task } from './task.ts'

/** A new test changes the order that a seed gives, so a single order without it is no comparison. */
const randomOrders = 8
const writtenOrders = 3
const budgetMs = 120_000

/** Returns a seed for a random order, the same for every verification of a test; null if the runner has no such order. */
export function seedOf({ workspace: { part, test } }: Pick<Task, 'workspace'>, index: number): string | null {
  if (!canShuffle(part)) return null
  return String(Number.parseInt(digest([test.code, index]).slice(0, 7), 16) + 1)
}

interface Comparison {
  /** The titles of failures that the new test may have caused. */
  suspects: readonly string[]
  /** The seed of a run in which they failed; null for the written order. */
  seed: string | null
  known: Known
  /** Runs tests of the commit without the new test. Returns null if there are none. */
  run: (seed: string | null) => Promise<RunOutcome | null>
  /** Whether one failure in random order explains those of all other tests that run too. */
  explainsAll?: boolean
}

interface Compared {
  /** The known failures, with those that do not count because the commit has them too. */
  known: Known
  /** The titles that failed in each run without the new test. */
  failed: string[][]
}

/**
 * Runs tests of the commit in several orders like that of the seed, until all suspects failed without the new test too.
 */
export async function compareOrders(
  task: Task,
  { suspects, seed, known, run, explainsAll = false }: Comparison,
): Promise<Compared> {
  const failed: string[][] = []
  const found = new Set<string>()
  const excused = new Set<string>()
  let left = [...suspects]
  const deadline = performance.now() + budgetMs
  for (const [index, order] of ordersLike(task, seed).entries()) {
    if (left.length === 0 || (index > 0 && performance.now() > deadline)) break
    const outcome = await run(order)
    const isEmpty = outcome === null || outcome.problem?.code === 'no_tests'
    const titles = isEmpty ? [] : brokenTests(outcome, [], known.failures)
    failed.push(titles)
    if (isEmpty) break
    for (const reported of outcome.cases) found.add(testTitle(reported))
    for (const title of titles) excused.add(title)
    if (explainsAll && seed !== null && excused.size > 0) for (const title of found) excused.add(title)
    // A test that a whole run does not report is not in the commit. A crash can hide tests.
    left = left.filter((title) => !excused.has(title) && (titles.length > 0 || found.has(title) || isWholeRun(title)))
  }
  warnOf(task, seed, new Set(failed.flat()))
  return {
    known:
      seed === null
        ? { ...known, failures: known.failures.union(excused) }
        : { ...known, shuffled: known.shuffled.union(excused) },
    failed,
  }
}

function ordersLike(task: Task, seed: string | null): (string | null)[] {
  if (seed === null) return Array.from({ length: writtenOrders }, () => null)
  const others = Array.from({ length: randomOrders }, (_, index) => seedOf(task, index))
  return [...new Set([seed, ...others])].slice(0, randomOrders)
}

function warnOf(task: Task, seed: string | null, failed: ReadonlySet<string>): void {
  if (failed.size === 0) return
  task.warn(
    `Tests of the commit ${seed === null ? 'sometimes fail' : 'fail in random order'} without the test too, so these failures do not count: ${listed([...failed])}.`,
  )
}

/**
 * Runs the committed version of a changed file alone, if tests failed in some runs of the new version only. Returns the
 * runs without the failures that the committed version has too.
 */
export async function excuseCommitted(
  task: Task,
  given: Known,
  { runs, wallMs }: { runs: readonly Observed[]; wallMs: number },
): Promise<{ runs: Observed[]; known: Known }> {
  const { workspace } = task
  const { original, part } = workspace
  let known = given
  if (original === null) return { runs: [...runs], known }
  const run = async (seed: string | null) => {
    const confined = aloneStep(part, original, { coverage: false, seed })
    return 'step' in confined ? workspace.run({ step: confined.step, wallMs, withTest: false }) : null
  }
  const failures = runs.map((seen) => failedIn(seen))
  // What fails in every run decides the verdict by itself.
  if (failures.reduce((all, titles) => all.intersection(titles)).size > 0) return { runs: [...runs], known }
  for (const isRandom of [false, true]) {
    const failing = runs.filter(
      ({ facts }, index) => (facts.run.order === 'random') === isRandom && (failures[index]?.size ?? 0) > 0,
    )
    const suspects = failing.reduce((all, seen) => all.union(failedIn(seen)), new Set<string>())
    const left = [...suspects].filter((title) => !known.failures.has(title))
    if (left.length === 0) continue
    const seed = failing[0]?.facts.run.seed ?? null
    ;({ known } = await compareOrders(task, { suspects: left, seed, known, run, explainsAll: true }))
  }
  return { runs: runs.flatMap((seen) => recount(task, known, seen) ?? []), known }
}

/** Returns the titles of everything that failed in a run alone. */
function failedIn({ outcome, own }: Observed): Set<string> {
  const titles = own.filter(({ status }) => status === 'failed').map(testTitle)
  return new Set(outcome.problem ? [...titles, wholeRun(outcome.problem)] : titles)
}

/** Returns the titles of failed tests of a changed file, which the commit may contain. */
export const committedFailures = ({ workspace }: Task, { own }: Observed): string[] =>
  workspace.original === null ? [] : own.filter(({ status }) => status === 'failed').map(testTitle)
