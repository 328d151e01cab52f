import { randomUUID } from 'node:crypto'
import type { App } from '../app.ts'
import { newId } from '../base/ids.ts'
import { createProjectFor } from '../testing/factories.ts'
import { pending } from '../verdicts/record.ts'
import { ConfirmationEntity, type ConfirmationRow } from './entity.ts'

/** Inserts a confirmation that waits, with a project if none is given. */
export async function createConfirmationFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<ConfirmationRow> = {},
): Promise<ConfirmationRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const now = new Date()
  const row: ConfirmationRow = {
    ...pending,
    id: newId(now),
    projectId,
    userId: newId(now),
    tokenId: null,
    snapshotId: null,
    again: true,
    testId: randomUUID(),
    variant: '',
    suite: 'cart',
    name: 'adds',
    file: 'src/cart.test.ts',
    branch: 'main',
    commitSha: null,
    repeats: 20,
    mergedAt: null,
    mergedRun: null,
    createdAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(ConfirmationEntity).insert(row)
  return row
}
