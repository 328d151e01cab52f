import type { Facts, Judgement } from './facts.ts'
import { judgeRuns } from './stability.ts'
import { judgeWorth } from './worth.ts'

/** Judges first whether the test is stable, then whether it is worth keeping. */
export function judge(facts: Facts): Judgement {
  return judgeRuns(facts) ?? judgeWorth(facts)
}
