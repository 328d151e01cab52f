import type { VerificationRow } from './entity.ts'
import type { Verification, VerificationSummary } from './schema.ts'

export const hasEnded = ({ status }: Pick<VerificationRow, 'status'>) => status !== 'pending' && status !== 'running'

export function presentVerification(row: VerificationRow): Verification {
  return { ...presentRecord(row), evidence: row.evidence }
}

export function presentSummary(row: VerificationRow): VerificationSummary {
  return {
    ...presentRecord(row),
    reason: row.evidence?.reason ?? null,
    summary: row.evidence?.summary ?? null,
  }
}

function presentRecord(row: VerificationRow): Omit<Verification, 'evidence'> {
  return {
    id: row.id,
    projectId: row.projectId,
    batchId: row.batchId,
    generatedTestId: row.generatedTestId,
    suggestionId: row.suggestionId,
    filePath: row.filePath,
    branch: row.branch,
    commitSha: row.commitSha,
    snapshotId: row.snapshotId,
    status: row.status,
    verdict: row.verdict,
    progress: row.status === 'running' ? row.progress : null,
    error: row.error,
    sameAs: row.sameAs,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}
