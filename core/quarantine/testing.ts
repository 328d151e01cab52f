import { randomUUID } from 'node:crypto'
import type { App } from '../app.ts'
import { createProjectFor } from '../testing/factories.ts'
import { QuarantineEntity, type QuarantineRow } from './entity.ts'
import { newQuarantine } from './request.ts'

/** Inserts a request for quarantine, with a project if none is given. */
export async function createQuarantineFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<QuarantineRow> = {},
): Promise<QuarantineRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const test = { testId: randomUUID(), suite: 'cart', name: 'adds', file: 'src/cart.test.ts' }
  const row: QuarantineRow = {
    ...newQuarantine({ now: () => new Date() }, projectId, test),
    variant: null,
    mode: 'muted',
    reason: 'fails at midnight',
    days: 14,
    expiresAt: fields.status === 'active' ? new Date(Date.now() + 14 * 86_400_000) : null,
    ...fields,
  }
  await app.dataSource.getRepository(QuarantineEntity).insert(row)
  return row
}
