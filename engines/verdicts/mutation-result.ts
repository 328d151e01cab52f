import type { MutationResult } from './schema.ts'
import type { MutantOutcome, MutationFacts } from './facts.ts'

const shownSurvivors = 20

/** Converts the facts to the form of the evidence. */
export function mutationResult({ found, seed, judged, beside = [], newlyKilled }: MutationFacts): MutationResult {
  const tried = [...judged, ...beside]
  const count = (wanted: MutantOutcome) => tried.filter(({ outcome }) => outcome === wanted).length
  const survivors = tried.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant)
  return {
    found,
    tried: tried.length,
    killed: count('killed'),
    crashed: count('crashed'),
    timedOut: count('timed_out'),
    invalid: count('invalid'),
    survived: survivors.length,
    newlyKilled,
    seed,
    survivors: survivors.slice(0, shownSurvivors),
  }
}

type Counts = Omit<MutationResult, 'newlyKilled' | 'seed' | 'survivors'>

/** The counts add up: what was tried was noticed, crashed, timed out, survived, or could not run. */
export function mutantsInWords({ found, tried, killed, crashed, timedOut, survived, invalid }: Counts): string {
  const parts = [
    `${killed} noticed`,
    crashed > 0 && `${crashed} crashed`,
    timedOut > 0 && `${timedOut} timed out`,
    `${survived} survived`,
    invalid > 0 && `${invalid} could not run`,
  ]
  return `${tried} of ${found} tried: ${parts.filter(Boolean).join(', ')}`
}
