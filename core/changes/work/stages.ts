import { isWithin } from '../../../engines/test-names/paths.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { select } from '../../../engines/test-plan/select.ts'
import { isOfFile } from '../../../engines/verdicts/change/side-tests.ts'
import type { MutantOutcome } from '../../../engines/verdicts/facts.ts'
import type { OutcomeCase, RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import { mutantOutcome } from '../../../engines/verdicts/run-facts.ts'
import { relatedStep, suiteStep } from '../../workspaces/runner/steps.ts'
import { runStepOf, type Side, stepFor } from './side.ts'
import type { SideRuns } from './run-sides.ts'

/** The head, and the tests that are to notice other code. */
export interface Trying {
  side: Side
  runs: SideRuns
  /** The new and changed tests by the part that runs them. */
  tests: ReadonlyMap<PlanPart, readonly TestFile[]>
  /** Titles of tests whose failures say nothing: they fail on the head as it is, or follow the text of the code. */
  failures: ReadonlySet<string>
  /** The test files that can notice the change; null if all may. */
  noticing: readonly string[] | null
  atOnce: number
}

/** Runs of one part, with limits. A later stage runs only if the earlier ones notice nothing. */
export interface Stage {
  part: PlanPart
  step: ReturnType<typeof stepFor>
  wallMs: number
  cpuMs?: number
}

/** Generous, because a busy machine slows everything down. Endless code reaches the limit of processor time first. */
const minWallMs = 20_000
const minCpuMs = 3_000
/** A suite that takes longer does not run once more for what the tests of the change do not notice. */
const maxFastSuiteMs = 20_000
const maxTitles = 200

const firstMs = ({ runs }: Pick<Around, 'runs'>, part: PlanPart) =>
  runs.first.find((run) => run.part === part)?.outcome.execution.usage.wallMs ?? 0

const limitOf = (trying: Pick<Around, 'runs'>, part: PlanPart) => Math.max(minWallMs, 5 * firstMs(trying, part))

/** The new and changed tests. */
export const ownStages = (trying: Trying): Stage[] =>
  [...trying.tests].map(([part, files]) => ({
    part,
    step: stepFor(part, { files, cases: [] }),
    wallMs: limitOf(trying, part),
  }))

/** What chooses the tests around changed code. */
export interface Around extends Pick<Trying, 'tests' | 'noticing'> {
  side: Pick<Side, 'parts'>
  runs: { first: readonly { part: PlanPart; outcome: TimedOutcome }[] }
}

interface TimedOutcome {
  cases: readonly Pick<OutcomeCase, 'file' | 'durationMs'>[]
  execution: { usage: { wallMs: number } }
}

/**
 * The tests that import the file if the runner can find them. Otherwise first those that can notice the change, and then
 * all tests of the part if they are fast or if the change has no tests.
 *
 * @param isImported - whether imports show which tests run the file
 */
export function suiteStages(trying: Around, path: string, isImported: boolean): Stage[] {
  const { side, tests } = trying
  const around = side.parts.filter((part) => isWithin(path, part.directory))
  const deepest = Math.max(...around.map(({ directory }) => directory.length))
  const ofFile = around.length === 0 ? side.parts : around.filter(({ directory }) => directory.length === deepest)
  return ofFile.flatMap((part): Stage[] => {
    const wallMs = limitOf(trying, part)
    const related = isImported ? relatedStep(part, [path]) : null
    if (related !== null) return [{ part, step: related, wallMs }]
    const noticing = isImported ? stepOfNoticing(trying, part) : null
    const allMs = firstMs(trying, part)
    const all = { part, step: suiteStep(part, { coverage: false }), wallMs }
    const some = noticing && { part, step: noticing.step, wallMs }
    // The selection can miss tests, so that fast ones run all if it notices nothing.
    if (tests.size === 0 || allMs <= maxFastSuiteMs) return some && noticing.ms < allMs / 2 ? [some, all] : [all]
    return some && noticing.ms <= maxFastSuiteMs ? [some] : []
  })
}

/**
 * Returns the command for the tests of a part that can notice the change, with the time that they should take; null if it
 * is not known which ones, if there are none, or if the runner cannot run them alone.
 */
function stepOfNoticing(trying: Around, part: PlanPart): { step: Stage['step']; ms: number } | null {
  const { noticing } = trying
  if (noticing === null || noticing.length === 0) return null
  const selected = select({ ...part, test: suiteStep(part, { coverage: false }) }, { paths: [...noticing], tests: [] })
  if ('unsupported' in selected) return null
  const known = new Set(noticing)
  const cases = trying.runs.first.find((run) => run.part === part)?.outcome.cases ?? []
  const msOf = (some: typeof cases) => some.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  const all = msOf(cases)
  const share = all === 0 ? 1 : msOf(cases.filter(({ file }) => file === null || known.has(file))) / all
  return { step: selected.step, ms: firstMs(trying, part) * share }
}

/**
 * Runs stages with a change that changes no behavior.
 *
 * @returns the stages with limits by the time that they took, without those that notice nothing of any code because they
 *   fail, and the titles of the tests that fail with it twice
 */
export async function tryOtherText(
  trying: Trying,
  stages: readonly Stage[],
  layer: string,
): Promise<{ usable: Stage[]; following: string[] }> {
  const usable: Stage[] = []
  const following: string[] = []
  for (const stage of stages) {
    let outcome = await run(trying, stage, [layer])
    let failing: ReadonlySet<string> = new Set()
    if (judge(trying, outcome) !== 'survived') {
      failing = failuresIn(outcome)
      outcome = await run(trying, stage, [layer])
      failing = failing.intersection(failuresIn(outcome)).difference(trying.failures)
    }
    following.push(...failing)
    if (judge({ failures: trying.failures.union(failing) }, outcome) !== 'survived') continue
    const { wallMs, cpuMs } = outcome.execution.usage
    usable.push({
      ...stage,
      wallMs: Math.max(minWallMs, 10 * wallMs),
      ...(cpuMs !== null && { cpuMs: Math.max(minCpuMs, 5 * cpuMs) }),
    })
  }
  return { usable, following }
}

export interface Noticed {
  outcome: MutantOutcome
  killedBy: string[]
  /** Whether some tests could not be loaded. */
  isUnbuilt: boolean
}

/** The tests of the change, and the tests around a file, which are checked before they run with other code. */
export interface Attempts {
  own: readonly Stage[]
  around: () => Promise<readonly Stage[]>
}

/** Runs the tests with layers of other code, until one notices. */
export async function tryLayers(
  trying: Trying,
  { own, around }: Attempts,
  layers: readonly string[],
): Promise<Noticed> {
  const noticed: Noticed = { outcome: 'invalid', killedBy: [], isUnbuilt: false }
  for (const isSecond of [false, true]) {
    const others = isSecond || own.length === 0 ? await around() : []
    // The same tests a second time, if there are no others, so that a flaky pass does not count as a survivor.
    for (const one of others.length > 0 ? others : own) {
      const outcome = await run(trying, one, layers)
      const next = judge(trying, outcome)
      if (next !== 'survived' && next !== 'invalid')
        return { ...noticed, outcome: next, killedBy: killersIn(trying, outcome) }
      if (next === 'survived') noticed.outcome = next
      else if (outcome.cases.length > 0) noticed.isUnbuilt = true
    }
    if (noticed.outcome === 'invalid') return noticed
  }
  return noticed
}

const run = ({ side, atOnce }: Trying, { part, ...stage }: Stage, layers: readonly string[]): Promise<RunOutcome> =>
  runStepOf(side, part, { ...stage, layers, beside: atOnce })

const judge = ({ failures }: Pick<Trying, 'failures'>, outcome: RunOutcome): MutantOutcome =>
  mutantOutcome(
    outcome,
    outcome.cases.filter((found) => found.status !== 'failed' || !failures.has(testTitle(found))),
  )

/** Tests that could not be loaded say nothing about one of them, and a busy machine makes tests late. */
const isTelling = (found: OutcomeCase) =>
  found.status === 'failed' && found.kind !== 'not_built' && found.kind !== 'timeout' && !isOfFile(found)

/** Returns the titles of tests whose failures say something about the code. */
export const failuresIn = ({ cases }: RunOutcome): ReadonlySet<string> =>
  new Set(cases.filter(isTelling).map(testTitle))

function killersIn({ failures }: Trying, outcome: RunOutcome): string[] {
  const failing = outcome.cases.filter(({ status, kind }) => status === 'failed' && kind !== 'not_built').map(testTitle)
  const hanging = outcome.hang?.test ?? null
  const titles = new Set([...failing, ...(hanging === null ? [] : [hanging])]).difference(failures)
  return [...titles].slice(0, maxTitles)
}
