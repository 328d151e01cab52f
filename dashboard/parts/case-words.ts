import type { Outputs } from '../api.ts'

type Outcome = Outputs['code']['getFile']['symbols'][number]['cases'][number]['outcome']

/** How a way through a function ends, after its condition. */
export const caseOutcomes: Record<Outcome, string> = {
  throws: 'throws',
  returns: 'returns',
  early_return: 'returns early',
  loop_not_entered: 'does not enter the loop',
  catch: 'is caught',
  default: 'goes on',
}
