import type { NumberedMutant } from '../mutation/switched-source.ts'
import { strengthOf } from './interval.ts'
import type { Outcome, Tally } from './tally.ts'

/** How many of some mutants tests reach, have been tried, and are noticed. What the compiler refuses is no mutant. */
export function countsOf(tally: Tally, all: readonly Pick<NumberedMutant, 'id'>[]) {
  const outcomeOf = ({ id }: Pick<NumberedMutant, 'id'>) => tally.decided.get(id)?.outcome
  const mutants = all.filter((one) => outcomeOf(one) !== 'invalid')
  const count = (...wanted: Outcome[]) =>
    mutants.filter((one) => {
      const outcome = outcomeOf(one)
      return outcome !== undefined && wanted.includes(outcome)
    }).length
  const reached = mutants.filter((one) => tally.isReached(one.id) || outcomeOf(one) !== undefined)
  // The ids are drawn by lot.
  const drawn = reached.toSorted((a, b) => a.id - b.id)
  const results = drawn.map((one) => resultOf[outcomeOf(one) ?? 'lost'])
  return {
    found: mutants.length,
    reached: reached.length,
    tried: count('noticed', 'timed_out', 'survived'),
    noticed: count('noticed', 'timed_out'),
    timedOut: count('timed_out'),
    survived: count('survived'),
    // Before the tests ran once, nobody knows what they reach.
    strength: tally.tests === 0 ? null : strengthOf(results),
  }
}

/** Whether tests notice it. */
const resultOf: Readonly<Record<Outcome, boolean | null>> = {
  noticed: true,
  timed_out: true,
  survived: false,
  lost: null,
  invalid: null,
}

/** How many of some mutants earlier results decide. */
export const keptOf = (tally: Tally, mutants: readonly Pick<NumberedMutant, 'id'>[]): number =>
  mutants.filter(({ id }) => tally.kept.has(id)).length
