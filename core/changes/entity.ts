import { EntitySchema } from 'typeorm'
import type { ChangeEvidence, ChangeIntent, ChangeVerdict } from '../../engines/verdicts/change/schema.ts'
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
import type { ChangeProgress, ChangeStatus } from './schema.ts'

export interface ChangeRow {
  id: string
  projectId: string
  userId: string
  /** The branch, tag or commit as given; where the caller gave none, the one that was found, or null until then. */
  base: string | null
  baseSha: string | null
  /** Null for a snapshot. */
  head: string | null
  headSha: string | null
  snapshotId: string | null
  intent: ChangeIntent
  repeats: number
  mutants: number
  budgetSeconds: number
  /** Whether to ignore earlier results for the same content. */
  again: boolean
  status: ChangeStatus
  verdict: ChangeVerdict | null
  /** Whether the verdict is without the phases that the budget left out. */
  isProvisional: boolean
  evidence: ChangeEvidence | null
  progress: ChangeProgress | null
  error: { code: string; message: string } | null
  /** A digest of everything that the verdict depends on; null until it is known. */
  contentKey: string | null
  sameAs: string | null
  /** Counts the attempts. Only the worker of the latest attempt may change the record. */
  attempt: number
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
}

export const ChangeEntity = new EntitySchema<ChangeRow>({
  name: 'Change',
  tableName: 'changes',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    userId: { ...text, name: 'user_id' },
    base: optionalText,
    baseSha: { ...optionalText, name: 'base_sha' },
    head: optionalText,
    headSha: { ...optionalText, name: 'head_sha' },
    snapshotId: { ...optionalText, name: 'snapshot_id' },
    intent: text,
    repeats: integer,
    mutants: integer,
    budgetSeconds: { ...integer, name: 'budget_seconds' },
    again: boolean,
    status: text,
    verdict: optionalText,
    isProvisional: { ...boolean, name: 'is_provisional' },
    evidence: optionalJson,
    progress: optionalJson,
    error: optionalJson,
    contentKey: { ...optionalText, name: 'content_key' },
    sameAs: { ...optionalText, name: 'same_as' },
    attempt: integer,
    createdAt: { ...time, name: 'created_at' },
    startedAt: { ...optionalTime, name: 'started_at' },
    completedAt: { ...optionalTime, name: 'completed_at' },
  } satisfies Columns<ChangeRow>,
})
