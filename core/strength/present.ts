import { hasEnded, presentJudged, presentReason } from '../verdicts/record.ts'
import type { MeasurementRow } from './entity.ts'
import type { Measurement, MeasurementSummary } from './schema.ts'

type Previous = Measurement['previous']

export function presentMeasurement(row: MeasurementRow, previous: Previous = null): Measurement {
  return { ...presentRecord(row), previous, evidence: row.evidence }
}

/** What a list shows of the evidence. */
export type ListedEvidence = Pick<
  NonNullable<MeasurementRow['evidence']>,
  'reason' | 'summary' | 'strength' | 'reached' | 'tried' | 'noticed' | 'survived'
>

export function presentSummary(
  row: Omit<MeasurementRow, 'evidence'>,
  evidence: ListedEvidence | null,
  previous: Previous,
): MeasurementSummary {
  const { strength = null, reached = 0, tried = 0, noticed = 0, survived = 0 } = evidence ?? {}
  const listed = { strength, reached, tried, noticed, survived }
  return { ...presentRecord(row), previous, ...presentReason({ evidence }), ...listed }
}

function presentRecord(row: Omit<MeasurementRow, 'evidence'>): Omit<Measurement, 'evidence' | 'previous'> {
  return {
    ...presentJudged(row),
    userId: row.userId,
    branch: row.branch,
    commitSha: row.commitSha,
    paths: row.paths,
    since: row.since,
    budgetSeconds: row.budgetSeconds,
    isProvisional: row.verdict !== null && !hasEnded(row),
  }
}
