import { EntitySchema } from 'typeorm'
import {
  boolean,
  type Columns,
  id,
  integer,
  optionalJson,
  optionalText,
  optionalTime,
  text,
  time,
} from '../base/columns.ts'
import type { VerificationProgress, VerificationStatus } from './schema.ts'
import type { Evidence, Verdict, VerificationTarget } from '../../engines/verdicts/schema.ts'

export interface VerificationRow {
  id: string
  projectId: string
  userId: string
  batchId: string | null
  generatedTestId: string | null
  suggestionId: string | null
  filePath: string
  code: string
  target: VerificationTarget | null
  branch: string | null
  commitSha: string | null
  /** Set for a verification on a snapshot, also after the snapshot was deleted. */
  snapshotId: string | null
  repeats: number
  mutants: number
  /** Whether to ignore an earlier result for the same content. */
  again: boolean
  /** Whether the test may see the project's environment. */
  withSecrets: boolean
  status: VerificationStatus
  verdict: Verdict | null
  evidence: Evidence | null
  progress: VerificationProgress | null
  error: { code: string; message: string } | null
  /** A digest of everything that the verdict depends on; null until it is known. */
  contentKey: string | null
  sameAs: string | null
  /** Counts the attempts. Only the worker of the latest attempt may change the verification. */
  attempt: number
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
}

export const VerificationEntity = new EntitySchema<VerificationRow>({
  name: 'Verification',
  tableName: 'verifications',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    userId: { ...text, name: 'user_id' },
    batchId: { ...optionalText, name: 'batch_id' },
    generatedTestId: { ...optionalText, name: 'generated_test_id' },
    suggestionId: { ...optionalText, name: 'suggestion_id' },
    filePath: { ...text, name: 'file_path' },
    code: text,
    target: optionalJson,
    branch: optionalText,
    commitSha: { ...optionalText, name: 'commit_sha' },
    snapshotId: { ...optionalText, name: 'snapshot_id' },
    repeats: integer,
    mutants: integer,
    again: boolean,
    withSecrets: { ...boolean, name: 'with_secrets' },
    status: text,
    verdict: optionalText,
    evidence: optionalJson,
    progress: optionalJson,
    error: optionalJson,
    contentKey: { ...optionalText, name: 'content_key' },
    sameAs: { ...optionalText, name: 'same_as' },
    attempt: integer,
    createdAt: { ...time, name: 'created_at' },
    startedAt: { ...optionalTime, name: 'started_at' },
    completedAt: { ...optionalTime, name: 'completed_at' },
  } satisfies Columns<VerificationRow>,
})
