import type { CarriedFile } from '../../coverage/carry-over.ts'
import type { SourceCase } from '../../parsing/description/types.ts'
import type { TestCandidate } from '../schema.ts'

/** The cases of a candidate that no test exercises, as far as that is known, the most risky first. */
export function casesOf(
  _candidate: TestCandidate,
  _found: readonly SourceCase[],
  _measured: CarriedFile | undefined,
): Pick<TestCandidate, 'cases' | 'moreCases'> {
  return {}
}
