import { type Site, testUrl } from '../base/page-urls.ts'
import type { QuarantineRow } from './entity.ts'
import type { Quarantine } from './schema.ts'

export function presentQuarantine(site: Site, row: QuarantineRow): Quarantine {
  const { announcedExpiry: _, requestedAt, decidedAt, expiresAt, endedAt, ...fields } = row
  return {
    ...fields,
    url: testUrl(site, { id: row.testId, projectId: row.projectId }),
    requestedAt: requestedAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  }
}
