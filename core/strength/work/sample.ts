import { hash } from 'node:crypto'
import { applyMutant } from '../../../engines/mutation/mutant.ts'
import type { NumberedMutant } from '../../../engines/mutation/switched-source.ts'
import { withoutTypeChecks } from '../../../engines/strength/driver.ts'
import type { Tally } from '../../../engines/strength/tally.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { mutantOutcome } from '../../../engines/verdicts/run-facts.ts'
import { allSettled } from '../../base/all-settled.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import type { LayeredCheckout } from '../../workspaces/layered-checkout.ts'
import { partOfTest } from '../../workspaces/runner/part-of-test.ts'
import { selectedStep } from '../../workspaces/runner/steps.ts'

export interface Sampling {
  layered: LayeredCheckout
  parts: readonly PlanPart[]
  mutants: readonly NumberedMutant[]
  /** The sources by path. */
  files: ReadonlyMap<string, string>
  tally: Tally
  /** The files of the commit. */
  paths: readonly string[]
  pathOf: (file: string) => string
  /** When the measurement should end, on the clock of `performance`. */
  endAt: number
  /** How many runs may run at once. */
  atOnce: number
  report: (done: number, total: number) => void
}

/** Mutants that ran in fresh processes, and those that had another result there. */
export interface Sample {
  tried: number
  disagreed: number
  /** The test files whose results in loaded processes cannot be trusted. */
  doubtful: string[]
}

/**
 * The share of the survivors and of the noticed mutants, and the smallest and largest number of each. A call that continues
 * an earlier one adds to the sample of that.
 */
const sampleShare = 0.02
const minSample = 3
const minOfNext = 1
const maxSample = 10
/** It takes so long even if the budget is used up. */
const minMs = 5_000
const wallMs = 60_000
/** A command line has an end. */
const maxTestFiles = 50
/** From this share on, results of the test files that disagree do not count. */
const maxDisagreement = 0.01

/**
 * Repeats some of the results in fresh processes, each with the mutant in the text of its source. What a fresh process says
 * counts. If too many disagree, the other results of their test files count no more.
 */
export async function sampleResults(sampling: Sampling): Promise<Sample> {
  const { tally, mutants, endAt, atOnce, report } = sampling
  const stopAt = Math.max(performance.now() + minMs, endAt)
  let longest = 0
  const chosen = choose(mutants, tally)
  const inSlot = limitConcurrency(atOnce)
  const originals = new Map<string, Promise<boolean>>()
  const doubtful = new Set<string>()
  let tried = 0
  let disagreed = 0
  await allSettled(
    chosen.map((mutant) =>
      inSlot(async () => {
        const from = performance.now()
        // A run that is cut off says nothing.
        if (from + longest >= stopAt) return
        const wasNoticed = tally.decided.get(mutant.id)?.outcome === 'noticed'
        const isNoticed = await runFresh(sampling, mutant, originals)
        longest = Math.max(longest, performance.now() - from)
        report(tried, chosen.length)
        if (isNoticed === null) return
        tried += 1
        if (isNoticed === wasNoticed) return
        disagreed += 1
        for (const file of suspects(tally, mutant)) doubtful.add(file)
        tally.correct(mutant.id, isNoticed ? 'noticed' : 'survived')
      }),
    ),
  )
  // A single one is the accident of a flaky test.
  const isTooMuch = disagreed >= 2 && disagreed > maxDisagreement * tried
  const sampled = new Set(chosen.map(({ id }) => id))
  if (isTooMuch) dropResults(sampling, doubtful, sampled)
  return { tried, disagreed, doubtful: isTooMuch ? [...doubtful].map(sampling.pathOf) : [] }
}

/** Takes survivors and noticed mutants in turns, in an order that is random and stays the same. */
function choose(mutants: readonly NumberedMutant[], tally: Tally): NumberedMutant[] {
  const lots = new Map(mutants.map(({ id, mutant }) => [id, hash('sha256', JSON.stringify(mutant))]))
  const least = tally.kept.size > 0 ? minOfNext : minSample
  const some = (outcome: string) => {
    // The measurement that tried the others has checked a sample of them.
    const all = mutants.filter(({ id }) => tally.decided.get(id)?.outcome === outcome && !tally.kept.has(id))
    const size = Math.min(maxSample, Math.max(least, Math.ceil(sampleShare * all.length)))
    return all.toSorted((a, b) => ((lots.get(a.id) ?? '') < (lots.get(b.id) ?? '') ? -1 : 1)).slice(0, size)
  }
  const [survived, noticed] = [some('survived'), some('noticed')]
  return Array.from({ length: maxSample }, (_, index) => [survived[index], noticed[index]])
    .flat()
    .filter((one) => one !== undefined)
}

/** The test files whose loaded process gave the result. */
function suspects(tally: Tally, { id }: NumberedMutant): string[] {
  const by = tally.decided.get(id)?.by
  return by ? [by.file] : tally.filesOf(id)
}

function dropResults({ tally, mutants }: Sampling, doubtful: ReadonlySet<string>, sampled: ReadonlySet<number>): void {
  for (const mutant of mutants) {
    if (sampled.has(mutant.id) || !tally.decided.has(mutant.id)) continue
    if (suspects(tally, mutant).some((file) => doubtful.has(file))) tally.correct(mutant.id, 'lost')
  }
}

/** Whether tests in a fresh process notice the mutant; null if they do not say. */
async function runFresh(
  sampling: Sampling,
  { id, mutant }: NumberedMutant,
  originals: Map<string, Promise<boolean>>,
): Promise<boolean | null> {
  const { layered, files, tally, pathOf } = sampling
  const source = files.get(mutant.path)
  const by = tally.decided.get(id)?.by
  const reaching = (by ? [by.file] : tally.filesOf(id)).map(pathOf)
  const tests = await readTests(sampling, reaching)
  if (source === undefined || tests === null) return null
  const layer = await layered.makeLayer(mutant.path, applyMutant(source, mutant))
  const isNoticed = await runTests(sampling, tests, [layer])
  if (isNoticed !== true) return isNoticed
  // The tests may fail alone, whatever the code.
  const key = JSON.stringify(reaching)
  const original = originals.get(key) ?? runTests(sampling, tests, []).then((fails) => fails === false)
  originals.set(key, original)
  return (await original) ? true : null
}

async function readTests({ layered }: Sampling, paths: readonly string[]): Promise<TestFile[] | null> {
  if (paths.length === 0 || paths.length > maxTestFiles) return null
  const tests: TestFile[] = []
  for (const path of paths) {
    const code = await layered.read(path)
    if (code === null) return null
    tests.push({ path, code })
  }
  return tests
}

async function runTests(
  { layered, parts, paths, atOnce }: Sampling,
  tests: readonly TestFile[],
  layers: readonly string[],
): Promise<boolean | null> {
  const [first] = tests
  const part = first && partOfTest({ parts }, first)
  const selected = part && selectedStep(part, { files: tests, cases: [] }, { coverage: false })
  if (!part || !selected || 'unsupported' in selected) return null
  const step = withoutTypeChecks(part.framework, selected.step)
  const outcome = await layered.run({ part, step, wallMs, layers, beside: atOnce, paths, test: null })
  return isNoticedBy(outcome)
}

function isNoticedBy(outcome: RunOutcome): boolean | null {
  switch (mutantOutcome(outcome, outcome.cases)) {
    case 'survived':
      return false
    case 'invalid':
      // A mutant can keep a test file from being loaded.
      return outcome.cases.some(({ status }) => status === 'failed') ? true : null
    default:
      return true
  }
}
