import { EntitySchema } from 'typeorm'
import { type Columns, id, optionalText, optionalTime, text, time } from '../base/columns.ts'
import type { CodeHostKind } from '../code-host/schema.ts'

/** The connection of a project to a code host. */
export interface CodeHostConnectionRow {
  projectId: string
  kind: CodeHostKind
  apiUrl: string
  /** Encrypted, and bound to the row. */
  token: string
  /** The repository of the project when the token was set. The token is not used for another one. */
  repository: string
  setBy: string | null
  setAt: Date
  lastProblem: string | null
  lastProblemAt: Date | null
}

export const CodeHostConnectionEntity = new EntitySchema<CodeHostConnectionRow>({
  name: 'CodeHostConnection',
  tableName: 'code_host_connections',
  columns: {
    projectId: { ...id, name: 'project_id' },
    kind: text,
    apiUrl: { ...text, name: 'api_url' },
    token: text,
    repository: text,
    setBy: { ...optionalText, name: 'set_by' },
    setAt: { ...time, name: 'set_at' },
    lastProblem: { ...optionalText, name: 'last_problem' },
    lastProblemAt: { ...optionalTime, name: 'last_problem_at' },
  } satisfies Columns<CodeHostConnectionRow>,
})
