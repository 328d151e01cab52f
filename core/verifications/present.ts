import { verificationUrl, type Site } from '../base/page-urls.ts'
import { hasEnded, presentJudged, presentReason } from '../verdicts/record.ts'
import type { VerificationRow } from './entity.ts'
import type { Verification, VerificationSummary } from './schema.ts'

export function presentVerification(site: Site, row: VerificationRow): Verification {
  return { ...presentRecord(site, row), code: row.code, evidence: row.evidence }
}

export function presentSummary(site: Site, row: VerificationRow): VerificationSummary {
  return { ...presentRecord(site, row), ...presentReason(row) }
}

function presentRecord(site: Site, row: VerificationRow): Omit<Verification, 'code' | 'evidence'> {
  return {
    ...presentJudged(row),
    url: verificationUrl(site, row),
    batchId: row.batchId,
    generatedTestId: row.generatedTestId,
    suggestionId: row.suggestionId,
    filePath: row.filePath,
    branch: row.branch,
    commitSha: row.commitSha,
    isProvisional: row.verdict !== null && !hasEnded(row),
  }
}
