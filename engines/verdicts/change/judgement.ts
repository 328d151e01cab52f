import type { ChangedLines } from './patch-coverage.ts'
import type { ComparedSides } from './compare-sides.ts'
import type { ChangeFacts } from './facts.ts'
import type { ChangeMutation, ChangeVerdict } from './schema.ts'
import type { TestOfChange } from './tests-of-change.ts'

/** What the rules judge: the facts, and what follows from them. */
export interface Observed {
  facts: ChangeFacts
  sides: ComparedSides
  /** The worst first. */
  tests: readonly TestOfChange[]
  lines: ChangedLines
  mutation: ChangeMutation | null
}

export interface ChangeJudgement {
  verdict: ChangeVerdict
  reason: string
  summary: string
  /** See `ChangeEvidence`. */
  missing: string[]
  warnings: string[]
}

export const judgement = (
  verdict: ChangeVerdict,
  reason: string,
  summary: string,
  missing: string[] = [],
): ChangeJudgement => ({ verdict, reason, summary, missing, warnings: [] })
