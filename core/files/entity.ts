import { EntitySchema } from 'typeorm'
import { type Columns, id, optionalText, text, time } from '../base/columns.ts'

export interface FileRow {
  id: string
  projectId: string
  runId: string | null
  /** Chosen by the sender. */
  name: string
  /** Random, so that it reveals nothing about the file. */
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
    // The driver returns bigint as text. A file size always fits into a number exactly.
    size: { type: 'bigint', transformer: { from: Number, to: (size: number) => size } },
    sha256: text,
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<FileRow>,
})

/** An object in the storage that has no row in `files`, or no row yet. */
export interface DoomedObjectRow {
  storageKey: string
  /** When to delete the object. */
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
