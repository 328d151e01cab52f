import type { ChangeRow } from './entity.ts'
import type { Change, ChangeSummary } from './schema.ts'

export const hasEnded = ({ status }: Pick<ChangeRow, 'status'>) => status !== 'pending' && status !== 'running'

/** Whether there is a verdict, even a provisional one, or will be none. */
export const hasVerdict = (row: Pick<ChangeRow, 'status' | 'verdict'>) => hasEnded(row) || row.verdict !== null

export function presentChange(row: ChangeRow): Change {
  return { ...presentRecord(row), evidence: row.evidence }
}

export function presentSummary(row: ChangeRow): ChangeSummary {
  return {
    ...presentRecord(row),
    reason: row.evidence?.reason ?? null,
    summary: row.evidence?.summary ?? null,
  }
}

function presentRecord(row: ChangeRow): Omit<Change, 'evidence'> {
  return {
    id: row.id,
    projectId: row.projectId,
    userId: row.userId,
    base: row.base,
    baseSha: row.baseSha,
    head: row.head,
    headSha: row.headSha,
    snapshotId: row.snapshotId,
    intent: row.intent,
    status: row.status,
    verdict: row.verdict,
    isProvisional: row.isProvisional,
    progress: row.status === 'running' ? row.progress : null,
    error: row.error,
    sameAs: row.sameAs,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}
