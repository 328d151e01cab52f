import type { App } from '../app.ts'
import { newId } from '../base/ids.ts'
import { createProjectFor } from '../testing/factories.ts'
import { GeneratedTestEntity, type GeneratedTestRow } from './entity.ts'

/** Creates a generated test that never ran, in a new project by default. */
export async function createGeneratedTestFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<GeneratedTestRow> = {},
): Promise<GeneratedTestRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const now = new Date()
  const row: GeneratedTestRow = {
    id: newId(now),
    projectId,
    userId: newId(now),
    tokenId: null,
    suggestionId: null,
    snapshotId: null,
    commitSha: 'c'.repeat(40),
    filePath: 'tests/cart.test.js',
    code: "test('adds up', () => {})",
    testType: 'unit',
    framework: 'vitest',
    description: 'That a cart adds up.',
    caseIds: null,
    target: { path: 'src/cart.js', symbol: 'total' },
    verdict: null,
    verificationId: null,
    dismissedAt: null,
    dismissedBy: null,
    dismissedByToken: null,
    tokensUsed: null,
    createdAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(GeneratedTestEntity).insert(row)
  return row
}
