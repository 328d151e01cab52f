import { EntitySchema } from 'typeorm'
import { type Columns, id, json, optionalText, text, time } from '../base/columns.ts'
import type { ProjectSettings } from './schema.ts'

/** Contains only values that differ from the defaults. Environment values are encrypted. */
export type StoredSettings = Partial<Omit<ProjectSettings, 'environment'>> & { environment?: Record<string, string> }

export interface ProjectRow {
  id: string
  name: string
  description: string | null
  repository: string
  branch: string
  language: string | null
  framework: string | null
  userId: string
  organizationId: string | null
  /** The user who chose the repository. It is read with this user's account, or without one if null. */
  repositoryUserId: string | null
  settings: StoredSettings
  createdAt: Date
  updatedAt: Date
}

export const ProjectEntity = new EntitySchema<ProjectRow>({
  name: 'Project',
  tableName: 'projects',
  columns: {
    id,
    name: text,
    description: optionalText,
    repository: text,
    branch: text,
    language: optionalText,
    framework: optionalText,
    userId: { ...text, name: 'user_id' },
    organizationId: { ...optionalText, name: 'organization_id' },
    repositoryUserId: { ...optionalText, name: 'repository_user_id' },
    settings: { ...json, select: false },
    createdAt: { ...time, name: 'created_at' },
    updatedAt: { ...time, name: 'updated_at' },
  } satisfies Columns<ProjectRow>,
})
