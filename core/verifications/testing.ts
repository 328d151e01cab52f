import { newId } from '../base/ids.ts'
import type { App } from '../app.ts'
import { createProjectFor } from '../testing/factories.ts'
import { pending } from '../verdicts/record.ts'
import { VerificationEntity, type VerificationRow } from './entity.ts'

/** Inserts a verification that no worker processes, because it is not in the queue. Creates a project by default. */
export async function createVerificationFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<VerificationRow> = {},
): Promise<VerificationRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const now = new Date()
  const row: VerificationRow = {
    ...pending,
    id: newId(now),
    projectId,
    userId: newId(now),
    tokenId: null,
    batchId: null,
    generatedTestId: null,
    suggestionId: null,
    filePath: 'tests/cart.test.js',
    code: "test('adds up', () => {})",
    target: null,
    branch: 'main',
    commitSha: null,
    snapshotId: null,
    repeats: 5,
    mutants: 20,
    budgetSeconds: 60,
    again: false,
    withSecrets: false,
    createdAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(VerificationEntity).insert(row)
  return row
}
