import { newId } from '../base/ids.ts'
import type { App } from '../app.ts'
import { createProjectFor } from '../testing/factories.ts'
import { pending } from '../verdicts/record.ts'
import { ChangeEntity, type ChangeRow } from './entity.ts'

/** Inserts a change that no worker processes, because it is not in the queue. Creates a project by default. */
export async function createChangeFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<ChangeRow> = {},
): Promise<ChangeRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const now = new Date()
  const row: ChangeRow = {
    ...pending,
    id: newId(now),
    projectId,
    userId: newId(now),
    tokenId: null,
    base: null,
    baseSha: null,
    head: 'main',
    headSha: null,
    snapshotId: null,
    intent: 'change',
    repeats: 3,
    mutants: 20,
    budgetSeconds: 90,
    again: false,
    createdAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(ChangeEntity).insert(row)
  return row
}
