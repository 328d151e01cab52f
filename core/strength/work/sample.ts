import { allSettled } from '../../base/all-settled.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import type { NumberedMutant } from '../../../engines/mutation/switched-source.ts'
import { type FreshRuns, freshRunsOf } from './fresh-runs.ts'

export interface Sampling extends FreshRuns {
  /** Best first. */
  mutants: readonly NumberedMutant[]
  /** The mutants whose kept results no measurement has sampled. */
  unchecked: ReadonlySet<number>
  /** When the measurement should end, on the clock of `performance`. */
  endAt: number
  report: (done: number, total: number) => void
}

/** Mutants that ran in fresh processes, and those that had another result there. */
export interface Sample {
  tried: number
  disagreed: number
  /** The test files whose results in loaded processes cannot be trusted. */
  doubtful: string[]
  /** Whether the time was enough for the whole sample, so that the results that it stands for count from now on. */
  isWhole: boolean
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
/** From this share on, results of the test files that disagree do not count. */
const maxDisagreement = 0.01

/**
 * Repeats some of the results in fresh processes, each with the mutant in the text of its source. What a fresh process says
 * counts. If too many disagree, the other results of their test files count no more; they run in fresh processes, too, as
 * far as the time is enough.
 */
export async function sampleResults(sampling: Sampling): Promise<Sample> {
  const { tally, endAt, atOnce, pathOf, report } = sampling
  const stopAt = Math.max(performance.now() + minMs, endAt)
  const inSlot = limitConcurrency(atOnce)
  const fresh = freshRunsOf(sampling, stopAt)
  const chosen = choose(sampling)
  const doubtful = new Set<string>()
  let [tried, disagreed, isWhole] = [0, 0, true]
  await allSettled(
    chosen.map((mutant) =>
      inSlot(async () => {
        if (fresh.isOver()) {
          isWhole = false
          return
        }
        const { outcome, by = null } = tally.decided.get(mutant.id) ?? {}
        const files = tally.filesOf(mutant.id)
        const suspects = by ? [by.file] : files
        const first = await fresh.run(mutant, suspects)
        report(tried, chosen.length)
        if (first === null) return
        tried += 1
        if (first.isNoticed === (outcome === 'noticed')) return
        disagreed += 1
        for (const file of suspects) doubtful.add(pathOf(file))
        if (first.isNoticed) return tally.correct(mutant.id, 'noticed', first.by)
        // The others did not try it, because it had been noticed.
        const others = files.filter((file) => file !== by?.file)
        const rest = others.length === 0 ? first : await fresh.run(mutant, others)
        tally.correct(mutant.id, rest === null ? 'lost' : rest.isNoticed ? 'noticed' : 'survived', rest?.by)
      }),
    ),
  )
  // A single one is the accident of a flaky test.
  const isTooMuch = disagreed >= 2 && disagreed > maxDisagreement * tried
  if (!isTooMuch) return { tried, disagreed, doubtful: [], isWhole }
  const dropped = dropResults(sampling, doubtful, new Set(chosen.map(({ id }) => id)))
  await allSettled(
    dropped.map((mutant) =>
      inSlot(async () => {
        const found = fresh.isOver() ? null : await fresh.run(mutant, tally.filesOf(mutant.id))
        if (found) tally.correct(mutant.id, found.isNoticed ? 'noticed' : 'survived', found.by)
      }),
    ),
  )
  return { tried, disagreed, doubtful: [...doubtful], isWhole }
}

/** Takes survivors and noticed mutants in turns, by lot. */
function choose({ mutants, tally, unchecked }: Sampling): NumberedMutant[] {
  const isChecked = (id: number) => tally.kept.has(id) && !unchecked.has(id)
  const least = [...tally.kept].some(isChecked) ? minOfNext : minSample
  const some = (outcome: string) => {
    const all = mutants.filter(({ id }) => tally.decided.get(id)?.outcome === outcome && !isChecked(id))
    const size = Math.min(maxSample, Math.max(least, Math.ceil(sampleShare * all.length)))
    return all.toSorted((a, b) => a.id - b.id).slice(0, size)
  }
  const [survived, noticed] = [some('survived'), some('noticed')]
  return Array.from({ length: maxSample }, (_, index) => [survived[index], noticed[index]])
    .flat()
    .filter((one) => one !== undefined)
}

/** Drops the results of test files that were not in the sample, and returns their mutants. */
function dropResults(
  { tally, mutants, pathOf }: Sampling,
  doubtful: ReadonlySet<string>,
  sampled: ReadonlySet<number>,
): NumberedMutant[] {
  const dropped = mutants.filter(({ id }) => {
    const decided = tally.decided.get(id)
    if (!decided || sampled.has(id)) return false
    const suspects: readonly string[] = decided.by ? [decided.by.file] : tally.filesOf(id)
    return suspects.some((file) => doubtful.has(pathOf(file)))
  })
  for (const { id } of dropped) tally.correct(id, 'lost')
  return dropped
}
