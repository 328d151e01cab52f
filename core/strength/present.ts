import { measurementUrl, type Site } from '../base/page-urls.ts'
import { hasEnded, presentJudged, presentReason } from '../verdicts/record.ts'
import type { MeasurementRow } from './entity.ts'
import type { Measurement, MeasurementSummary } from './schema.ts'

type Previous = Measurement['previous']

export function presentMeasurement(site: Site, row: MeasurementRow, previous: Previous = null): Measurement {
  return { ...presentRecord(site, row), previous, evidence: row.evidence }
}

/** What a list shows of the evidence. */
export type ListedEvidence = Pick<
  NonNullable<MeasurementRow['evidence']>,
  'reason' | 'summary' | 'strength' | 'reached' | 'tried' | 'noticed' | 'survived'
>

export function presentSummary(
  site: Site,
  row: Omit<MeasurementRow, 'evidence'>,
  evidence: ListedEvidence | null,
  previous: Previous,
): MeasurementSummary {
  const { strength = null, reached = 0, tried = 0, noticed = 0, survived = 0 } = evidence ?? {}
  const listed = { strength, reached, tried, noticed, survived }
  return { ...presentRecord(site, row), previous, ...presentReason({ evidence }), ...listed }
}

function presentRecord(site: Site, row: Omit<MeasurementRow, 'evidence'>): Omit<Measurement, 'evidence' | 'previous'> {
  return {
    ...presentJudged(row),
    url: measurementUrl(site, row),
    userId: row.userId,
    branch: row.branch,
    commitSha: row.commitSha,
    paths: row.paths,
    since: row.since,
    budgetSeconds: row.budgetSeconds,
    isProvisional: row.verdict !== null && !hasEnded(row),
  }
}
