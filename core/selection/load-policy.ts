import type { Context } from '../base/context.ts'
import { SelectionPolicy } from './schema.ts'

export const defaultPolicy: SelectionPolicy = { mode: 'shadow', alwaysRun: [] }

/** Loads how a project selects tests, without a permission check. */
export async function loadSelectionPolicy({ db }: Pick<Context, 'db'>, projectId: string): Promise<SelectionPolicy> {
  const [row] = await db.query<{ policy: unknown }[]>('SELECT policy FROM selection_policies WHERE project_id = $1', [
    projectId,
  ])
  return row ? SelectionPolicy.parse({ ...defaultPolicy, ...(row.policy as object) }) : defaultPolicy
}
