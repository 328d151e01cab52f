import type { Gate } from './types.ts'

/** What the state of a gate means for the change, in a sentence. */
export function meaningOf({ state, mode, conclusion }: Pick<Gate, 'state' | 'mode' | 'conclusion'>): string {
  const meaning = meanings[state]
  if (mode === 'off') return `${meaning} The gate is off: the code host shows nothing.`
  if (conclusion === 'neutral') {
    return `${meaning} The gate is informational: the code host shows neutral, and the change is not blocked.`
  }
  if (state === 'failure' || state === 'error') return `${meaning} The gate is enforced and blocks the change.`
  return meaning
}

const meanings: Record<Gate['state'], string> = {
  pending: 'The gate waits for results.',
  success: 'All rules hold.',
  failure: 'At least one rule does not hold.',
  error: 'There is no complete result to judge.',
  neutral: 'The gate does not decide.',
}
