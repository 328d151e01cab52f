import type { MutantOutcome } from '../facts.ts'
import { counted } from '../worth.ts'
import type { ChangeMutation, MutantCounts } from './schema.ts'

const none: MutantCounts = { tried: 0, killed: 0, timedOut: 0, invalid: 0, survived: 0 }

/** Counts outcomes. A crash is detected by the suite, so it counts as killed. */
export function countOutcomes(outcomes: readonly MutantOutcome[]): MutantCounts {
  const count = (wanted: MutantOutcome) => outcomes.filter((outcome) => outcome === wanted).length
  return {
    tried: outcomes.length,
    killed: count('killed') + count('crashed'),
    timedOut: count('timed_out'),
    invalid: count('invalid'),
    survived: count('survived'),
  }
}

/** The number of mutants with a result. */
export const judgedOf = ({ tried, invalid }: MutantCounts): number => tried - invalid

export const detectedOf = ({ killed, timedOut }: MutantCounts): number => killed + timedOut

interface CountsApart {
  mutants: MutantCounts & { found: number }
  restored: MutantCounts
}

/** Separates the mutants from the restored parts. Evidence of earlier versions counts them together, as mutants. */
export function countsApart(all: ChangeMutation): CountsApart {
  const { restored = none } = all
  const mutants = {
    // Every part that was restored was also tried.
    found: all.found - restored.tried,
    tried: all.tried - restored.tried,
    killed: all.killed - restored.killed,
    timedOut: all.timedOut - restored.timedOut,
    invalid: all.invalid - restored.invalid,
    survived: all.survived - restored.survived,
  }
  return { mutants, restored }
}

/** "4 of 9 tried: 3 killed, 1 survived; 2 restored parts of the old code: 2 killed, 0 survived". The counts add up. */
export function mutantsInWords(mutation: ChangeMutation): string {
  const { mutants, restored } = countsApart(mutation)
  const tried = mutants.tried === 0 ? 'none tried' : `${mutants.tried} of ${mutants.found} tried: ${outcomes(mutants)}`
  if (restored.tried === 0) return tried
  return `${tried}; ${counted(restored.tried, 'restored part')} of the old code: ${outcomes(restored)}`
}

function outcomes({ killed, timedOut, survived, invalid }: MutantCounts): string {
  return [
    `${killed} killed`,
    ...(timedOut > 0 ? [`${timedOut} timed out`] : []),
    `${survived} survived`,
    ...(invalid > 0 ? [`${invalid} could not run`] : []),
  ].join(', ')
}

/** "3 mutants of the changed lines (1 more could not run)" */
export const judgedMutantsInWords = (mutants: MutantCounts): string =>
  `${counted(judgedOf(mutants), 'mutant')} of the changed lines${notRun(mutants)}`

/**
 * "2 of 3 mutants of the changed lines and 1 of 2 restored parts of the old code", of those with a result.
 *
 * @param countOf - the number to name of each kind
 */
export function sharesInWords(mutation: ChangeMutation, countOf: (counts: MutantCounts) => number): string {
  const { mutants, restored } = countsApart(mutation)
  return [
    ...(judgedOf(mutants) > 0 ? [`${countOf(mutants)} of ${judgedMutantsInWords(mutants)}`] : []),
    ...(judgedOf(restored) > 0
      ? [`${countOf(restored)} of ${counted(judgedOf(restored), 'restored part')} of the old code${notRun(restored)}`]
      : []),
  ].join(' and ')
}

const notRun = ({ invalid }: MutantCounts) => (invalid > 0 ? ` (${invalid} more could not run)` : '')
