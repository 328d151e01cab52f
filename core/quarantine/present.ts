import type { Context } from '../base/context.ts'
import { type Site, testUrl } from '../base/page-urls.ts'
import type { QuarantineRow } from './entity.ts'
import type { Quarantine, QuarantineStatus } from './schema.ts'

/** Returns the status of a quarantine, whose time can be up before the job that ends it runs. */
export const statusOf = ({ now }: Pick<Context, 'now'>, { status, expiresAt }: QuarantineRow): QuarantineStatus =>
  status === 'active' && expiresAt !== null && expiresAt <= now() ? 'expired' : status

export function presentQuarantine(site: Site & Pick<Context, 'now'>, row: QuarantineRow): Quarantine {
  const { announcedExpiry: _, requestedAt, decidedAt, expiresAt, ...fields } = row
  const status = statusOf(site, row)
  const endedAt = status === 'expired' ? expiresAt : row.endedAt
  return {
    ...fields,
    status,
    url: testUrl(site, { id: row.testId, projectId: row.projectId }),
    requestedAt: requestedAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  }
}
