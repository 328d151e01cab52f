import { EntitySchema } from 'typeorm'
import type { ChangeEvidence, ChangeIntent, ChangeVerdict } from '../../engines/verdicts/change/schema.ts'
import { type Columns, integer, optionalText, text } from '../base/columns.ts'
import { judgedColumns, type JudgedRow } from '../verdicts/record.ts'
import type { ChangePhase } from './schema.ts'

export interface ChangeRow extends JudgedRow<ChangeVerdict, ChangeEvidence, ChangePhase> {
  /** The branch, tag or commit as given; where the caller gave none, the one that was found, or null until then. */
  base: string | null
  baseSha: string | null
  /** Null for a snapshot. */
  head: string | null
  headSha: string | null
  intent: ChangeIntent
  repeats: number
  mutants: number
  budgetSeconds: number
}

export const ChangeEntity = new EntitySchema<ChangeRow>({
  name: 'Change',
  tableName: 'changes',
  columns: {
    ...judgedColumns,
    base: optionalText,
    baseSha: { ...optionalText, name: 'base_sha' },
    head: optionalText,
    headSha: { ...optionalText, name: 'head_sha' },
    intent: text,
    repeats: integer,
    mutants: integer,
    budgetSeconds: { ...integer, name: 'budget_seconds' },
  } satisfies Columns<ChangeRow>,
})
