import { join } from 'node:path'
import { select } from '../../../engines/test-plan/select.ts'
import type { PlanPart, Step } from '../../../engines/test-plan/plan.ts'
import { makeFolders, removeTree } from '../../workspaces/directories.ts'
import { keepEnd } from '../../workspaces/printed.ts'
import { type InstalledPart, layersOf, limitsOf, type Work } from '../../workspaces/run-parts.ts'
import { pathsOf, runStep } from '../../workspaces/run-step.ts'
import { readOutcome } from '../../workspaces/runner/read-outcome.ts'
import { suiteStep } from '../../workspaces/runner/steps.ts'
import { findNewTests, type NewTest, type TestedRun } from './new-tests.ts'

/** A test that passed in some repetitions and failed in others, with its first run. */
export interface UnsteadyTest {
  testId: string
  suite: string
  file: string | null
  runs: number
  failures: NewTest['failures']
}

/** What the repetitions of new tests showed. */
export interface Repeated {
  tests: number
  /** The repetitions of the part that was repeated most often, with the first run. */
  runs: number
  unsteady: UnsteadyTest[]
}

export interface Repeating extends TestedRun {
  work: Work
  installed: readonly InstalledPart[]
  /** The time that the tests of the run took. */
  testMs: number
}

const maxRuns = 10
const leastBudgetMs = 10_000
const maxBudgetMs = 60_000

/**
 * Repeats the tests that the project did not have before, up to ten times with their first run, as long as that takes less
 * than the tests of the run: a test that is flaky from its first day is found before it fails for others.
 */
export async function repeatNewTests(repeating: Repeating): Promise<Repeated | null> {
  const { ctx, work, testMs, tested, installed } = repeating
  const found = await findNewTests(repeating, work.project.id)
  if (found.length === 0) return null
  const deadline = performance.now() + Math.min(maxBudgetMs, Math.max(leastBudgetMs, testMs))
  const repeated: Repeated = { tests: found.length, runs: 1, unsteady: [] }
  for (const [index, { part }] of tested.entries()) {
    const own = found.filter((test) => test.part === index)
    const from = installed[index]
    const step = own.length === 0 ? undefined : stepFor(part, own)
    if (!step || !from) continue
    const outcomes = new Map(
      own.map((test) => [keyOf(test), { test, passes: Number(test.passed), failures: [...test.failures] }]),
    )
    let runs = 1
    while (runs < maxRuns && performance.now() < deadline) {
      ctx.signal.throwIfAborted()
      const cases = await runOnce(repeating, { index, part, step, from, wallMs: deadline - performance.now() })
      if (cases === null) break
      runs++
      for (const one of cases) {
        const known = outcomes.get(keyOf(one))
        if (!known) continue
        if (one.status === 'failed' || one.passedOnRetry) {
          known.failures.push({ message: one.message, durationMs: one.durationMs, place: one.place })
        } else if (one.status === 'passed') known.passes++
      }
    }
    repeated.runs = Math.max(repeated.runs, runs)
    for (const { test, passes, failures } of outcomes.values()) {
      if (passes > 0 && failures.length > 0)
        repeated.unsteady.push({
          testId: test.testId,
          suite: test.suite,
          file: test.file,
          runs: passes + failures.length,
          failures,
        })
    }
  }
  return repeated
}

const keyOf = ({ suite, name, file }: { suite: string; name: string; file: string | null }) =>
  JSON.stringify([suite, name, file])

/** Without coverage, which is slower. */
function stepFor(part: PlanPart, tests: readonly NewTest[]): Step | undefined {
  const selection = { paths: [], tests: tests.map(({ suite, name, file }) => ({ suite, name, file })) }
  const selected = select({ ...part, test: suiteStep(part, { coverage: false }) }, selection)
  return 'step' in selected ? selected.step : undefined
}

/** Returns null if the run was stopped, or its results cannot be read. */
async function runOnce(
  { work, runner, paths, goModules, mask, installed }: Repeating,
  {
    index,
    part,
    step,
    from,
    wallMs,
  }: { index: number; part: PlanPart; step: Step; from: InstalledPart; wallMs: number },
) {
  const place = join(work.directory, 'repeats', String(index))
  await removeTree(place)
  const { root, output, captured, deps } = await makeFolders(place, ['root', 'output', 'captured', 'deps'])
  const lower = [join(work.directory, 'work'), join(work.directory, 'installed'), ...layersOf(installed), work.checkout]
  const folders = {
    root: { lower, upper: root },
    output,
    captured,
    deps: { lower: [join(work.directory, `deps-work-${index}`), from.dependencies?.deps ?? from.deps], upper: deps },
    scratch: join(place, 'scratch'),
  }
  const since = work.executor.mounts ? undefined : Date.now()
  const printed = keepEnd()
  const execution = await runStep(work.executor, {
    step,
    directory: part.directory,
    folders,
    environment: work.environment,
    network: work.settings.testNetwork ? 'internet' : 'none',
    limits: limitsOf(work, step, Math.max(1, wallMs)),
    print: printed.write,
    signal: work.ctx.signal,
  })
  work.ctx.signal.throwIfAborted()
  if (execution.reason !== 'ok' && execution.reason !== 'failed') return null
  const seenAs = pathsOf(work.executor, folders).root
  const { cases } = await readOutcome(
    { part: { ...part, test: step, coverage: [] }, root, output, captured, since, seenAs },
    {
      runner,
      execution,
      paths,
      goModules,
      test: null,
      testNetwork: work.settings.testNetwork,
      mask,
      printed: printed.text(),
      command: step.command,
    },
  )
  return cases
}
