import { changeUrl, type Site } from '../base/page-urls.ts'
import { hasEnded, presentJudged, presentReason } from '../verdicts/record.ts'
import type { ChangeRow } from './entity.ts'
import type { Change, ChangeSummary } from './schema.ts'

/** Whether there is a verdict, even a provisional one, or will be none. */
export const hasVerdict = (row: Pick<ChangeRow, 'status' | 'verdict'>) => hasEnded(row) || row.verdict !== null

export function presentChange(site: Site, row: ChangeRow): Change {
  return { ...presentRecord(site, row), evidence: row.evidence }
}

export function presentSummary(site: Site, row: ChangeRow): ChangeSummary {
  return { ...presentRecord(site, row), ...presentReason(row) }
}

function presentRecord(site: Site, row: ChangeRow): Omit<Change, 'evidence'> {
  return {
    ...presentJudged(row),
    url: changeUrl(site, row),
    userId: row.userId,
    base: row.base,
    baseSha: row.baseSha,
    head: row.head,
    headSha: row.headSha,
    intent: row.intent,
    isProvisional: row.verdict !== null && !hasEnded(row),
  }
}
