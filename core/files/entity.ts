import { EntitySchema } from 'typeorm'
import { type Columns, id, optionalText, text, time } from '../base/columns.ts'

export interface FileRow {
  id: string
  projectId: string
  runId: string | null
  /** As its sender named it. */
  name: string
  /** Random: says nothing about the file. */
  storageKey: string
  contentType: string
  size: number
  /** In hexadecimal. */
  sha256: string
  createdAt: Date
}

export const FileEntity = new EntitySchema<FileRow>({
  name: 'File',
  tableName: 'files',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    runId: { ...optionalText, name: 'run_id' },
    name: text,
    storageKey: { ...text, name: 'storage_key' },
    contentType: { ...text, name: 'content_type' },
    // Postgres hands these out as text, since they may be larger than what a number holds exactly; sizes never are.
    size: { type: 'bigint', transformer: { from: Number, to: (size: number) => size } },
    sha256: text,
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<FileRow>,
})

/** An object in the storage that has no row in `files`, or does not have it yet. */
export interface DoomedObjectRow {
  storageKey: string
  /** When it is to be deleted. */
  dueAt: Date
}

export const DoomedObjectEntity = new EntitySchema<DoomedObjectRow>({
  name: 'DoomedObject',
  tableName: 'doomed_objects',
  columns: {
    storageKey: { ...id, name: 'storage_key' },
    dueAt: { ...time, name: 'due_at' },
  } satisfies Columns<DoomedObjectRow>,
})
