import { EntitySchema } from 'typeorm'
import type { Context } from '../base/context.ts'
import type { FileOfGate, GateFigures, GateReason, GateState } from './schema.ts'
import type { GatePolicy } from '../../engines/gate/policy.ts'
import type { PatchFile } from '../../engines/gate/patch.ts'
import {
  type Columns,
  id,
  integer,
  json,
  optionalJson,
  optionalText,
  optionalTime,
  text,
  time,
} from '../base/columns.ts'

export interface GateRow {
  id: string
  projectId: string
  /** The commit or the snapshot. */
  subject: string
  /** The reference that the commit is compared with. */
  base: string
  /** Null until a snapshot was compared. */
  headSha: string | null
  snapshotId: string | null
  branch: string | null
  pullRequest: number | null
  /** The last commit in common with the base. */
  baseSha: string | null
  /** Null until the commit was compared with its base. */
  patch: PatchFile[] | null
  /** Why it cannot be compared. */
  incomparable: string | null
  state: GateState
  mode: GatePolicy['mode']
  reasons: GateReason[]
  figures: GateFigures | null
  /** Only files with something to say, those with most uncovered lines first. */
  files: FileOfGate[] | null
  /** Counts what could change the decision. */
  requests: number
  /** How many of the requests the decision knows. */
  judged: number
  deadlineAt: Date
  /** When the state was last other than pending for the first time. */
  decidedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Selects gates with the lines of their changes, which other queries leave out. */
export const withPatch = ({ db }: Pick<Context, 'db'>) =>
  db.getRepository(GateEntity).createQueryBuilder('gate').addSelect('gate.patch')

/** A gate without the lines of its change, of which large changes have megabytes. */
export type ShownGate = Omit<GateRow, 'patch'>

export const GateEntity = new EntitySchema<GateRow>({
  name: 'Gate',
  tableName: 'gates',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    subject: text,
    base: text,
    headSha: { ...optionalText, name: 'head_sha' },
    snapshotId: { ...optionalText, name: 'snapshot_id' },
    branch: optionalText,
    pullRequest: { ...integer, nullable: true, name: 'pull_request' },
    baseSha: { ...optionalText, name: 'base_sha' },
    patch: { ...optionalJson, select: false },
    incomparable: optionalText,
    state: text,
    mode: text,
    reasons: json,
    figures: optionalJson,
    files: optionalJson,
    requests: integer,
    judged: integer,
    deadlineAt: { ...time, name: 'deadline_at' },
    decidedAt: { ...optionalTime, name: 'decided_at' },
    createdAt: { ...time, name: 'created_at' },
    updatedAt: { ...time, name: 'updated_at' },
  } satisfies Columns<GateRow>,
})
