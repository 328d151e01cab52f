import { EntitySchema } from 'typeorm'
import { type Columns, id, integer, optionalJson, optionalText, optionalTime, text, time } from '../base/columns.ts'
import type { Suggestion, TestType } from '../ai/schema.ts'
import type { SuggestionStatus } from './schema.ts'

export interface SuggestionRow {
  id: string
  projectId: string
  userId: string
  /** The token that was used, also after it was deleted; null for a session and for records of earlier versions. */
  tokenId: string | null
  commitSha: string
  filePath: string
  testType: TestType
  description: string
  rationale: string
  exampleCode: string
  target: Suggestion['target'] | null
  caseIds: string[] | null
  cases: Suggestion['cases'] | null
  moreCases: number | null
  through: Suggestion['through'] | null
  /** Equal for two suggestions of the same kind of test for the same code. */
  fingerprint: string
  status: SuggestionStatus
  /** The verification that accepted a test for this suggestion. */
  verificationId: string | null
  /** What the model used for the suggestions that were made with this one, of which it is the first; null for the others. */
  tokensUsed: number | null
  /** When it was accepted or dismissed, and by which user and token. It stays when an accepted one is open again. */
  resolvedAt: Date | null
  resolvedBy: string | null
  resolvedByToken: string | null
  createdAt: Date
  updatedAt: Date
}

export const SuggestionEntity = new EntitySchema<SuggestionRow>({
  name: 'Suggestion',
  tableName: 'suggestions',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    userId: { ...text, name: 'user_id' },
    tokenId: { ...optionalText, name: 'token_id' },
    commitSha: { ...text, name: 'commit_sha' },
    filePath: { ...text, name: 'file_path' },
    testType: { ...text, name: 'test_type' },
    description: text,
    rationale: text,
    exampleCode: { ...text, name: 'example_code' },
    target: optionalJson,
    caseIds: { ...optionalJson, name: 'case_ids' },
    cases: optionalJson,
    moreCases: { ...integer, nullable: true, name: 'more_cases' },
    through: optionalJson,
    fingerprint: text,
    status: text,
    verificationId: { ...optionalText, name: 'verification_id' },
    tokensUsed: { ...integer, nullable: true, name: 'tokens_used' },
    resolvedAt: { ...optionalTime, name: 'resolved_at' },
    resolvedBy: { ...optionalText, name: 'resolved_by' },
    resolvedByToken: { ...optionalText, name: 'resolved_by_token' },
    createdAt: { ...time, name: 'created_at' },
    updatedAt: { ...time, name: 'updated_at' },
  } satisfies Columns<SuggestionRow>,
})
