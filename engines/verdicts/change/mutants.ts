import type { MutantOutcome } from '../facts.ts'
import type { ChangeFacts } from './facts.ts'
import type { ChangeMutation } from './schema.ts'

const shownSurvivors = 20
const maxCodeLength = 500

/**
 * Survivors that a proved change may have, as a share of the mutants that could be judged. Some mutants change no
 * behavior, so no test can detect them: about one in ten.
 */
export const maxSurvivorShare = 0.2

/** Converts the facts to the form of the evidence. A crash is detected by the suite, so it counts as killed. */
export function changeMutation(mutation: ChangeFacts['mutation']): ChangeMutation | null {
  if (mutation === null) return null
  const { found, seed, judged } = mutation
  const count = (wanted: MutantOutcome) => judged.filter(({ outcome }) => outcome === wanted).length
  const survivors = judged.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant)
  return {
    found,
    tried: judged.length,
    killed: count('killed') + count('crashed'),
    timedOut: count('timed_out'),
    invalid: count('invalid'),
    survived: survivors.length,
    seed,
    survivors: survivors.slice(0, shownSurvivors).map((mutant) => ({
      ...mutant,
      original: mutant.original.slice(0, maxCodeLength),
      replacement: mutant.replacement.slice(0, maxCodeLength),
    })),
  }
}

/** The number of mutants with a result, and of those that the tests detected. */
export function judgedMutants(mutation: ChangeMutation | null): { judged: number; detected: number } {
  if (mutation === null) return { judged: 0, detected: 0 }
  return { judged: mutation.tried - mutation.invalid, detected: mutation.killed + mutation.timedOut }
}

/** Whether few enough mutants survived. A single survivor is allowed if others were detected, whatever its share. */
export function isWithinBound(mutation: ChangeMutation | null): boolean {
  const { judged, detected } = judgedMutants(mutation)
  const survived = mutation?.survived ?? 0
  if (survived === 0) return true
  return detected > 0 && survived <= Math.max(1, Math.floor(judged * maxSurvivorShare))
}
