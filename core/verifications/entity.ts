import { EntitySchema } from 'typeorm'
import type { Evidence, Verdict, VerificationTarget } from '../../engines/verdicts/schema.ts'
import { boolean, type Columns, integer, optionalJson, optionalText, text } from '../base/columns.ts'
import { judgedColumns, type JudgedRow } from '../verdicts/record.ts'
import type { VerificationPhase } from './schema.ts'

export interface VerificationRow extends JudgedRow<Verdict, Evidence, VerificationPhase> {
  batchId: string | null
  generatedTestId: string | null
  suggestionId: string | null
  filePath: string
  code: string
  target: VerificationTarget | null
  branch: string | null
  commitSha: string | null
  repeats: number
  mutants: number
  /** The time until a provisional verdict. */
  budgetSeconds: number
  /** Whether the test may see the project's environment. */
  withSecrets: boolean
}

export const VerificationEntity = new EntitySchema<VerificationRow>({
  name: 'Verification',
  tableName: 'verifications',
  columns: {
    ...judgedColumns,
    batchId: { ...optionalText, name: 'batch_id' },
    generatedTestId: { ...optionalText, name: 'generated_test_id' },
    suggestionId: { ...optionalText, name: 'suggestion_id' },
    filePath: { ...text, name: 'file_path' },
    code: text,
    target: optionalJson,
    branch: optionalText,
    commitSha: { ...optionalText, name: 'commit_sha' },
    repeats: integer,
    mutants: integer,
    budgetSeconds: { ...integer, name: 'budget_seconds' },
    withSecrets: { ...boolean, name: 'with_secrets' },
  } satisfies Columns<VerificationRow>,
})
