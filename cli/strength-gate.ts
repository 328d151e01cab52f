import type { StrengthEvidence } from '../engines/strength/schema.ts'

/** `unclear`: the interval contains the minimum. */
export type GateOutcome = 'met' | 'missed' | 'unclear'

export interface Gate {
  minimum: number
  outcome: GateOutcome
  /** Why, in one sentence. */
  text: string
}

/**
 * Compares a strength with a minimum in percent. It is missed only if even the upper end of the interval of 95 % is below
 * it, so that a small sample fails no build by chance. Code that no test runs misses every minimum.
 */
export function gateOf(minimum: number, { reason, strength }: Pick<StrengthEvidence, 'reason' | 'strength'>): Gate {
  if (strength === null) {
    return reason === 'no_mutants' || reason === 'no_code_changed'
      ? { minimum, outcome: 'met', text: `There is nothing to compare with the minimum of ${minimum} %.` }
      : reason === 'nothing_reached'
        ? { minimum, outcome: 'missed', text: `No test runs the code, which misses the minimum of ${minimum} %.` }
        : { minimum, outcome: 'unclear', text: `No change was tried, so the minimum of ${minimum} % is not decided.` }
  }
  const [low, high] = strength.interval
  if (high < minimum) {
    const most = low === high ? `${high} %` : `at most ${high} %`
    return { minimum, outcome: 'missed', text: `The strength is ${most}, below the minimum of ${minimum} %.` }
  }
  if (low >= minimum) {
    const least = low === high ? `${low} %` : `at least ${low} %`
    return { minimum, outcome: 'met', text: `The strength is ${least}, and the minimum is ${minimum} %.` }
  }
  return {
    minimum,
    outcome: 'unclear',
    text: `The interval from ${low} to ${high} % is too wide to tell whether the strength is below the minimum of ${minimum} %. A larger --budget makes it narrower.`,
  }
}
