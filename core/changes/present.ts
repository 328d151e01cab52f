import { hasEnded, presentJudged, presentReason } from '../verdicts/record.ts'
import type { ChangeRow } from './entity.ts'
import type { Change, ChangeSummary } from './schema.ts'

/** Whether there is a verdict, even a provisional one, or will be none. */
export const hasVerdict = (row: Pick<ChangeRow, 'status' | 'verdict'>) => hasEnded(row) || row.verdict !== null

export function presentChange(row: ChangeRow): Change {
  return { ...presentRecord(row), evidence: row.evidence }
}

export function presentSummary(row: ChangeRow): ChangeSummary {
  return { ...presentRecord(row), ...presentReason(row) }
}

function presentRecord(row: ChangeRow): Omit<Change, 'evidence'> {
  return {
    ...presentJudged(row),
    userId: row.userId,
    base: row.base,
    baseSha: row.baseSha,
    head: row.head,
    headSha: row.headSha,
    intent: row.intent,
    isProvisional: row.verdict !== null && !hasEnded(row),
  }
}
