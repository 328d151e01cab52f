import { EntitySchema } from 'typeorm'
import { boolean, type Columns, id, integer, optionalText, text, time } from '../base/columns.ts'

export interface SnapshotRow {
  id: string
  projectId: string
  userId: string
  /** The token that was used, also after it was deleted; null for a session and for records of earlier versions. */
  tokenId: string | null
  baseSha: string | null
  headSha: string | null
  branch: string | null
  treeSha: string
  commitSha: string
  files: number
  bytes: number
  /** Whether the credential that sent it may also set the test command, and thereby read the project's environment. */
  withSecrets: boolean
  createdAt: Date
  lastUsedAt: Date
}

export const SnapshotEntity = new EntitySchema<SnapshotRow>({
  name: 'Snapshot',
  tableName: 'snapshots',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    userId: { ...text, name: 'user_id' },
    tokenId: { ...optionalText, name: 'token_id' },
    baseSha: { ...optionalText, name: 'base_sha' },
    headSha: { ...optionalText, name: 'head_sha' },
    branch: optionalText,
    treeSha: { ...text, name: 'tree_sha' },
    commitSha: { ...text, name: 'commit_sha' },
    files: integer,
    // The driver returns bigint as text.
    bytes: { type: 'bigint', transformer: { from: Number, to: (bytes: number) => bytes } },
    withSecrets: { ...boolean, name: 'with_secrets' },
    createdAt: { ...time, name: 'created_at' },
    lastUsedAt: { ...time, name: 'last_used_at' },
  } satisfies Columns<SnapshotRow>,
})
