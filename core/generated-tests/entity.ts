import { EntitySchema } from 'typeorm'
import { type Columns, id, integer, optionalJson, optionalText, optionalTime, text, time } from '../base/columns.ts'
import type { TestType } from '../ai/schema.ts'
import type { Verdict, VerificationTarget } from '../../engines/verdicts/schema.ts'

export interface GeneratedTestRow {
  id: string
  projectId: string
  userId: string
  /** The token that was used, also after it was deleted; null for a session and for records of earlier versions. */
  tokenId: string | null
  suggestionId: string | null
  /** The commit of the analysis that the test was generated for. */
  commitSha: string
  /** Set if that commit is a snapshot, also after the snapshot was deleted. */
  snapshotId: string | null
  filePath: string
  code: string
  testType: TestType
  framework: string | null
  description: string
  target: VerificationTarget | null
  caseIds: string[] | null
  /** The verdict of the latest completed verification. */
  verdict: Verdict | null
  verificationId: string | null
  dismissedAt: Date | null
  dismissedBy: string | null
  dismissedByToken: string | null
  /** What the model used for the tests that were generated with this one, of which it is the first; null for the others. */
  tokensUsed: number | null
  createdAt: Date
}

export const GeneratedTestEntity = new EntitySchema<GeneratedTestRow>({
  name: 'GeneratedTest',
  tableName: 'generated_tests',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    userId: { ...text, name: 'user_id' },
    tokenId: { ...optionalText, name: 'token_id' },
    suggestionId: { ...optionalText, name: 'suggestion_id' },
    commitSha: { ...text, name: 'commit_sha' },
    snapshotId: { ...optionalText, name: 'snapshot_id' },
    filePath: { ...text, name: 'file_path' },
    code: text,
    testType: { ...text, name: 'test_type' },
    framework: optionalText,
    description: text,
    target: optionalJson,
    caseIds: { ...optionalJson, name: 'case_ids' },
    verdict: optionalText,
    verificationId: { ...optionalText, name: 'verification_id' },
    dismissedAt: { ...optionalTime, name: 'dismissed_at' },
    dismissedBy: { ...optionalText, name: 'dismissed_by' },
    dismissedByToken: { ...optionalText, name: 'dismissed_by_token' },
    tokensUsed: { ...integer, nullable: true, name: 'tokens_used' },
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<GeneratedTestRow>,
})
