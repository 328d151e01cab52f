import { EntitySchema } from 'typeorm'
import { type Columns, integer, optionalText, optionalTime, text } from '../base/columns.ts'
import { judgedColumns, type JudgedRow } from '../verdicts/record.ts'
import type { ConfirmationEvidence, ConfirmationPhase, ConfirmationVerdict } from './schema.ts'

export interface ConfirmationRow extends JudgedRow<ConfirmationVerdict, ConfirmationEvidence, ConfirmationPhase> {
  testId: string
  variant: string
  suite: string
  name: string
  file: string | null
  branch: string | null
  commitSha: string | null
  repeats: number
  /** Since when the branch of the project contains what was confirmed, with the run that showed it. */
  mergedAt: Date | null
  mergedRun: string | null
}

export const ConfirmationEntity = new EntitySchema<ConfirmationRow>({
  name: 'TestConfirmation',
  tableName: 'test_confirmations',
  columns: {
    ...judgedColumns,
    testId: { type: 'uuid', name: 'test_id' },
    variant: text,
    suite: text,
    name: text,
    file: optionalText,
    branch: optionalText,
    commitSha: { ...optionalText, name: 'commit_sha' },
    repeats: integer,
    mergedAt: { ...optionalTime, name: 'merged_at' },
    mergedRun: { ...optionalText, name: 'merged_run' },
  } satisfies Columns<ConfirmationRow>,
})
