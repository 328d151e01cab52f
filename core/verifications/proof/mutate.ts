import { includesLine, parseRanges, type Ranges } from '../../../engines/coverage/ranges.ts'
import type { ExecutionOutcome } from '../../../engines/sandbox/executor.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import { digest } from '../../workspaces/digest.ts'
import type { JudgedRun, MutantOutcome, MutationFacts } from '../../../engines/verdicts/facts.ts'
import { readExpectedErrors } from '../../../engines/verdicts/test-style.ts'
import { mutantOutcome } from '../../../engines/verdicts/run-facts.ts'
import { applyMutant, changeNothing, type Mutant, presentMutant } from '../../../engines/mutation/mutant.ts'
import { sampleMutants } from '../../../engines/mutation/sample-mutants.ts'
import { type Known, withoutKnown } from './observe.ts'
import { allSettled } from '../../base/all-settled.ts'
import type { RunsAlone } from './run-alone.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'
import { ownCases } from '../../../engines/verdicts/own-tests.ts'
import { aloneStep } from '../../workspaces/runner/steps.ts'
import type { CoverageGain } from '../../../engines/verdicts/schema.ts'
import { mutantsReached } from './mutants-reached.ts'
import type { WantedTarget } from './target.ts'
import type { Task } from './task.ts'
import type { Execution } from './workspace.ts'

/** A mutant with the outcome of the test, and the layer that contains the mutant. */
export interface TriedMutant extends JudgedRun {
  layer: string
}

export interface Mutation extends Omit<MutationFacts, 'judged' | 'newlyKilled'> {
  /** Those that decide. */
  tried: TriedMutant[]
}

/** Mutants of a test, which are tried in portions. */
export interface Mutating {
  /** Tries mutants until all were tried, or the time is over, but a few at least. */
  tryUntil(deadline: number): Promise<void>
  /** What is known so far. */
  result(): Mutation
  /** The number of mutants that are still to be tried. */
  readonly left: number
}

/** Generous, because a busy machine slows everything down. Endless mutants reach the limit of processor time first. */
const minWallMs = 20_000
const minCpuMs = 3_000
/** Fewer mutants say nothing about a test. */
const minTried = 5

/**
 * Prepares to run the test alone against mutants of the code that it reaches. Leaves out the mutants that the committed
 * version of the test detects. Returns null without a readable target, and if mutants are off.
 */
export async function prepareMutants(
  task: Task,
  target: WantedTarget | null,
  alone: RunsAlone,
  gain: CoverageGain | null,
): Promise<Mutating | null> {
  const { runner, workspace, verification } = task
  const [measured] = alone.runs
  if (target === null || measured === undefined || verification.mutants === 0) return null
  const { coverage } = measured.outcome
  const reached = await mutantsReached(task, target, coverage, gain)
  if (reached === null) return null
  const { mutants, beside, sources, passedBy } = reached
  const { test, original } = workspace
  const added = parseRanges(gain?.newTargetLines ?? '')
  const inNewLines = mutants.filter(({ path, line }) => path === target.path && includesLine(added, line)).length
  const seed = digest([verification.code, sources.get(target.path)]).slice(0, 16)
  const others = Math.min(Math.floor(verification.mutants / 2), beside?.length ?? 0)
  const deciding = sampleMutants(mutants, verification.mutants - others, seed)
  const sample = [...deciding, ...sampleMutants(beside ?? [], verification.mutants - deciding.length, seed)]
  if (!coverage && sample.length > 0) {
    task.warn(
      'Assay could not measure which lines the test covers, so mutants in lines that it does not cover may have survived.',
    )
  }
  const expectedErrors = sample.length > 0 ? await readExpectedErrors(runner, test.path, test.code) : []
  const how = { beside: alone.atOnce, expectedErrors, ...limitsOf(alone) }
  const attempt = (layers: string[]) => tryMutant(task, test, alone.known, { layers, ...how })
  const isKnown = async (layers: string[]) =>
    original !== null && detected.has(await tryMutant(task, original, alone.known, { layers, ...how }))
  const layerOf = (path: string, change: (source: string) => string) =>
    workspace.makeLayer(path, change(sources.get(path) ?? ''))

  let noticesText = false
  const tryUnchanged = async () => {
    const layers: string[] = []
    for (const [path, own] of Map.groupBy(deciding, (mutant) => mutant.path)) {
      layers.push(await layerOf(path, (source) => changeNothing(path, source, own)))
    }
    const fails = async () => ['killed', 'crashed'].includes(await attempt(layers))
    noticesText = (await fails()) && (await fails()) && !(await isKnown(layers))
  }
  const tried: (TriedMutant | undefined)[] = []
  let done = 0
  let begun = 0
  const tryOne = async ({ mutant, index }: { mutant: Mutant; index: number }) => {
    const layer = await layerOf(mutant.path, (source) => applyMutant(source, mutant))
    let outcome = await attempt([layer])
    // A second try, so that a flaky pass does not count as a survivor.
    if (outcome === 'survived') outcome = await attempt([layer])
    const counts = !detected.has(outcome) || !(await isKnown([layer]))
    if (counts) tried[index] = { mutant: presentMutant(mutant), outcome, layer }
    task.report('mutating', ++done, sample.length)
  }
  // In an order by chance, so that what was tried when the time is over is a sample too.
  const left = sample
    .map((mutant, index) => ({ mutant, index, lot: digest([seed, index]) }))
    .toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
  let isTextTried = deciding.length === 0
  return {
    async tryUntil(deadline) {
      task.report('mutating', done, sample.length)
      const inSlot = limitConcurrency(alone.atOnce)
      const text = isTextTried ? [] : [inSlot(tryUnchanged)]
      isTextTried = true
      const others = Array.from({ length: left.length }, () =>
        inSlot(async () => {
          const next = begun < minTried || performance.now() < deadline ? left.shift() : undefined
          begun += 1
          if (next) await tryOne(next)
        }),
      )
      await allSettled([...text, ...others])
    },
    result: () => ({
      found: mutants.length + (beside?.length ?? 0),
      passedBy,
      inNewLines,
      noticesText,
      seed,
      tried: tried.slice(0, deciding.length).filter((mutant) => mutant !== undefined),
      ...(beside && { beside: tried.slice(deciding.length).filter((mutant) => mutant !== undefined) }),
    }),
    get left() {
      return left.length
    },
  }
}

const detected: ReadonlySet<MutantOutcome> = new Set(['killed', 'crashed', 'timed_out'])

async function tryMutant(
  { workspace }: Task,
  test: TestFile,
  known: Known,
  { expectedErrors, ...how }: Pick<Execution, 'layers' | 'beside' | 'wallMs' | 'cpuMs'> & { expectedErrors: Ranges },
): Promise<MutantOutcome> {
  const { part } = workspace
  const confined = aloneStep(part, test, { coverage: false })
  if ('unsupported' in confined) return 'invalid'
  const outcome = await workspace.run({ step: confined.step, withTest: test === workspace.test, ...how })
  const own = withoutKnown(workspace, known.failures, ownCases(part, test, outcome, { alone: true }))
  return mutantOutcome(outcome, own, expectedErrors)
}

/** Returns many times the resources that the test needs without a mutant. */
function limitsOf({ runs }: RunsAlone): { wallMs: number; cpuMs: number } {
  const max = (of: (usage: ExecutionOutcome['usage']) => number | null) =>
    Math.max(...runs.map(({ outcome }) => of(outcome.execution.usage) ?? 0))
  return {
    wallMs: Math.max(minWallMs, 10 * max(({ wallMs }) => wallMs)),
    cpuMs: Math.max(minCpuMs, 5 * max(({ cpuMs }) => cpuMs)),
  }
}
