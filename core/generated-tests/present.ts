import { generatedTestUrl, type Site } from '../base/page-urls.ts'
import type { EventData } from '../events/schema.ts'
import type { GeneratedTestRow } from './entity.ts'
import type { GeneratedTest } from './schema.ts'

export function presentGeneratedTest(site: Site, { code, ...row }: GeneratedTestRow): GeneratedTest {
  return { ...presentListedTest(site, row), code }
}

/** Returns a test without its code, for lists. */
export function presentListedTest(site: Site, row: Omit<GeneratedTestRow, 'code'>): Omit<GeneratedTest, 'code'> {
  return {
    id: row.id,
    projectId: row.projectId,
    url: generatedTestUrl(site, row),
    suggestionId: row.suggestionId,
    commitSha: row.commitSha,
    snapshotId: row.snapshotId,
    filePath: row.filePath,
    testType: row.testType,
    framework: row.framework,
    description: row.description,
    target: row.target,
    caseIds: row.caseIds,
    verdict: row.verdict,
    verificationId: row.verificationId,
    dismissedAt: row.dismissedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}

/** The data of `test.generated`. */
export function presentEvent(row: GeneratedTestRow): Omit<EventData['test.generated'], 'url'> {
  const { id, projectId, snapshotId, filePath, testType, framework, description, verdict } = row
  const createdAt = row.createdAt.toISOString()
  const optional = { ...(verdict ? { verdict } : {}), ...(snapshotId === null ? {} : { snapshotId }) }
  return { id, projectId, filePath, testType, framework, description, ...optional, createdAt }
}
