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
  inOldCode: MutantCounts & { found: number }
  restored: MutantCounts
}

/** Separates the mutants of the changed lines, those of the old code and the restored parts. Evidence of earlier versions counts them together, as mutants. */
export function countsApart(all: ChangeMutation): CountsApart {
  const { restored = none, inOldCode = { found: 0, ...none } } = all
  const without = (key: keyof MutantCounts) => all[key] - restored[key] - inOldCode[key]
  const mutants = {
    // Every part that was restored was also tried.
    found: all.found - restored.tried - inOldCode.found,
    tried: without('tried'),
    killed: without('killed'),
    timedOut: without('timedOut'),
    invalid: without('invalid'),
    survived: without('survived'),
  }
  return { mutants, inOldCode, restored }
}

/**
 * "4 of 9 tried: 3 killed, 1 survived; 2 restored parts of the old code: 2 killed, 0 survived", for a refactoring "in the
 * old code 3 of 5 tried: 3 killed, 0 survived" instead of the parts. The counts add up.
 */
export function mutantsInWords(mutation: ChangeMutation): string {
  const { mutants, inOldCode, restored } = countsApart(mutation)
  return [
    triedInWords(mutants),
    ...(inOldCode.found > 0 ? [`in the old code ${triedInWords(inOldCode)}`] : []),
    ...(restored.tried > 0
      ? [`${counted(restored.tried, 'restored part')} of the old code: ${outcomes(restored)}`]
      : []),
  ].join('; ')
}

const triedInWords = (mutants: CountsApart['mutants']) =>
  mutants.tried === 0 ? 'none tried' : `${mutants.tried} of ${mutants.found} tried: ${outcomes(mutants)}`

function outcomes({ killed, timedOut, survived, invalid }: MutantCounts): string {
  return [
    `${killed} killed`,
    ...(timedOut > 0 ? [`${timedOut} timed out`] : []),
    `${survived} survived`,
    ...(invalid > 0 ? [`${invalid} could not run`] : []),
  ].join(', ')
}

/** "3 mutants of the changed lines (1 more could not run)" */
export const judgedMutantsInWords = (mutants: MutantCounts, where = 'the changed lines'): string =>
  `${counted(judgedOf(mutants), 'mutant')} of ${where}${notRun(mutants)}`

/**
 * "2 of 3 mutants of the changed lines and 1 of 2 restored parts of the old code", of those with a result.
 *
 * @param countOf - the number to name of each kind
 */
export function sharesInWords(mutation: ChangeMutation, countOf: (counts: MutantCounts) => number): string {
  const { mutants, inOldCode, restored } = countsApart(mutation)
  return [
    ...(judgedOf(mutants) > 0 ? [`${countOf(mutants)} of ${judgedMutantsInWords(mutants)}`] : []),
    ...(judgedOf(inOldCode) > 0 ? [`${countOf(inOldCode)} of ${judgedMutantsInWords(inOldCode, 'the old code')}`] : []),
    ...(judgedOf(restored) > 0
      ? [`${countOf(restored)} of ${counted(judgedOf(restored), 'restored part')} of the old code${notRun(restored)}`]
      : []),
  ].join(' and ')
}

const notRun = ({ invalid }: MutantCounts) => (invalid > 0 ? ` (${invalid} more could not run)` : '')
