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
import type { JudgedStatus } from './schema.ts'

/** A record with a verdict, such as the verification of a test or of a change. */
export interface JudgedRow<
  Verdict extends string = string,
  Evidence extends { reason: string; summary: string } = { reason: string; summary: string },
  Phase extends string = string,
> {
  id: string
  projectId: string
  userId: string
  /** The token that was used, also after it was deleted; null for a session and for records of earlier versions. */
  tokenId: string | null
  /** Set also after the snapshot was deleted. */
  snapshotId: string | null
  /** Whether to ignore earlier results for the same content. */
  again: boolean
  status: JudgedStatus
  /** Until the record has ended, a verdict is provisional. */
  verdict: Verdict | null
  evidence: Evidence | null
  progress: { phase: Phase; done: number; total: number } | null
  error: { code: string; message: string } | null
  /** A digest of everything that the verdict depends on; null until it is known. */
  contentKey: string | null
  /** The earlier record whose result was used. */
  sameAs: string | null
  /** Counts the attempts. Only the worker of the latest attempt may change the record. */
  attempt: number
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
}

export const judgedColumns = {
  id,
  projectId: { ...text, name: 'project_id' },
  userId: { ...text, name: 'user_id' },
  tokenId: { ...optionalText, name: 'token_id' },
  snapshotId: { ...optionalText, name: 'snapshot_id' },
  again: boolean,
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
} satisfies Columns<JudgedRow>

/** The fields of a record that waits for its first attempt. */
export const pending = {
  status: 'pending',
  verdict: null,
  evidence: null,
  progress: null,
  error: null,
  contentKey: null,
  sameAs: null,
  attempt: 0,
  startedAt: null,
  completedAt: null,
} as const satisfies Partial<JudgedRow>

export const hasEnded = ({ status }: Pick<JudgedRow, 'status'>) => status !== 'pending' && status !== 'running'

/** Returns the fields that all kinds of records show, without the evidence. */
export function presentJudged<Verdict extends string, Phase extends string>(
  row: Omit<JudgedRow<Verdict, { reason: string; summary: string }, Phase>, 'evidence'>,
) {
  return {
    id: row.id,
    projectId: row.projectId,
    snapshotId: row.snapshotId,
    status: row.status,
    verdict: row.verdict,
    progress: row.status === 'running' ? row.progress : null,
    error: row.error,
    sameAs: row.sameAs,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}

/** Returns what a list shows of the evidence. */
export const presentReason = ({ evidence }: Pick<JudgedRow, 'evidence'>) => ({
  reason: evidence?.reason ?? null,
  summary: evidence?.summary ?? null,
})
