import type { App } from '../app.ts'
import { newId } from '../base/ids.ts'
import { createProjectFor } from '../testing/factories.ts'
import { pending } from '../verdicts/record.ts'
import { MeasurementEntity, type MeasurementRow } from './entity.ts'

/** Inserts a measurement that no worker processes, because it is not in the queue. Creates a project by default. */
export async function createMeasurementFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<MeasurementRow> = {},
): Promise<MeasurementRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const now = new Date()
  const row: MeasurementRow = {
    ...pending,
    id: newId(now),
    projectId,
    userId: newId(now),
    tokenId: null,
    branch: 'main',
    commitSha: null,
    snapshotId: null,
    paths: [],
    since: null,
    budgetSeconds: 120,
    again: false,
    createdAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(MeasurementEntity).insert(row)
  return row
}
