import type { Facts, Judgement } from './facts.ts'
import { judgeRuns } from './stability.ts'
import { judgeWorth } from './worth.ts'

/** What a test is worth: first whether it passes whatever is done, then what it reaches and notices. */
export function judge(facts: Facts): Judgement {
  return judgeRuns(facts) ?? judgeWorth(facts)
}
