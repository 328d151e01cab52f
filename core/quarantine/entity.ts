import { EntitySchema } from 'typeorm'
import { boolean, type Columns, id, integer, optionalText, optionalTime, text, time } from '../base/columns.ts'
import type { QuarantineMode, QuarantineStatus } from './schema.ts'

export interface QuarantineRow {
  id: string
  projectId: string
  testId: string
  /** Null for all variants. */
  variant: string | null
  suite: string
  name: string
  file: string | null
  mode: QuarantineMode
  status: QuarantineStatus
  reason: string
  owner: string | null
  issueUrl: string | null
  automatic: boolean
  days: number
  requestedBy: string | null
  requestedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  expiresAt: Date | null
  endedBy: string | null
  endedAt: Date | null
  endReason: string | null
  /** Whether subscribers know that it ends soon. */
  announcedExpiry: boolean
}

export const QuarantineEntity = new EntitySchema<QuarantineRow>({
  name: 'Quarantine',
  tableName: 'quarantines',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    testId: { type: 'uuid', name: 'test_id' },
    variant: optionalText,
    suite: text,
    name: text,
    file: optionalText,
    mode: text,
    status: text,
    reason: text,
    owner: optionalText,
    issueUrl: { ...optionalText, name: 'issue_url' },
    automatic: boolean,
    days: integer,
    requestedBy: { ...optionalText, name: 'requested_by' },
    requestedAt: { ...time, name: 'requested_at' },
    decidedBy: { ...optionalText, name: 'decided_by' },
    decidedAt: { ...optionalTime, name: 'decided_at' },
    expiresAt: { ...optionalTime, name: 'expires_at' },
    endedBy: { ...optionalText, name: 'ended_by' },
    endedAt: { ...optionalTime, name: 'ended_at' },
    endReason: { ...optionalText, name: 'end_reason' },
    announcedExpiry: { ...boolean, name: 'announced_expiry' },
  } satisfies Columns<QuarantineRow>,
})
