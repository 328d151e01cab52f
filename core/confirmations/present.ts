import { type Site, testUrl } from '../base/page-urls.ts'
import { presentJudged, presentReason } from '../verdicts/record.ts'
import type { ConfirmationRow } from './entity.ts'
import type { Confirmation, ConfirmationSummary } from './schema.ts'

export const presentConfirmation = (site: Site, row: ConfirmationRow): Confirmation => ({
  ...presentRecord(site, row),
  evidence: row.evidence,
})

export const presentSummary = (site: Site, row: ConfirmationRow): ConfirmationSummary => ({
  ...presentRecord(site, row),
  ...presentReason(row),
})

function presentRecord(site: Site, row: ConfirmationRow): Omit<Confirmation, 'evidence'> {
  const { testId, variant, suite, name, file, branch, commitSha, repeats, mergedAt } = row
  return {
    ...presentJudged(row),
    url: testUrl(site, { id: testId, projectId: row.projectId }),
    testId,
    variant,
    suite,
    name,
    file,
    branch,
    commitSha,
    repeats,
    mergedAt: mergedAt?.toISOString() ?? null,
  }
}
