import { EntitySchema } from 'typeorm'
import type { StrengthEvidence, StrengthVerdict } from '../../engines/strength/schema.ts'
import { type Columns, integer, json, optionalText } from '../base/columns.ts'
import { judgedColumns, type JudgedRow } from '../verdicts/record.ts'
import type { StrengthPhase } from './schema.ts'

export interface MeasurementRow extends JudgedRow<StrengthVerdict, StrengthEvidence, StrengthPhase> {
  branch: string | null
  commitSha: string | null
  paths: string[]
  since: string | null
  budgetSeconds: number
}

export const MeasurementEntity = new EntitySchema<MeasurementRow>({
  name: 'StrengthMeasurement',
  tableName: 'strength_measurements',
  columns: {
    ...judgedColumns,
    branch: optionalText,
    commitSha: { ...optionalText, name: 'commit_sha' },
    paths: json,
    since: optionalText,
    budgetSeconds: { ...integer, name: 'budget_seconds' },
  } satisfies Columns<MeasurementRow>,
})
