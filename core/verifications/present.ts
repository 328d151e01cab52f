import { hasEnded, presentJudged, presentReason } from '../verdicts/record.ts'
import type { VerificationRow } from './entity.ts'
import type { Verification, VerificationSummary } from './schema.ts'

export function presentVerification(row: VerificationRow): Verification {
  return { ...presentRecord(row), code: row.code, evidence: row.evidence }
}

export function presentSummary(row: VerificationRow): VerificationSummary {
  return { ...presentRecord(row), ...presentReason(row) }
}

function presentRecord(row: VerificationRow): Omit<Verification, 'code' | 'evidence'> {
  return {
    ...presentJudged(row),
    batchId: row.batchId,
    generatedTestId: row.generatedTestId,
    suggestionId: row.suggestionId,
    filePath: row.filePath,
    branch: row.branch,
    commitSha: row.commitSha,
    isProvisional: row.verdict !== null && !hasEnded(row),
  }
}
