import { hasEnded, presentJudged, presentReason } from '../verdicts/record.ts'
import type { MeasurementRow } from './entity.ts'
import type { Measurement, MeasurementSummary } from './schema.ts'

export function presentMeasurement(row: MeasurementRow): Measurement {
  return { ...presentRecord(row), evidence: row.evidence }
}

export function presentSummary(row: MeasurementRow): MeasurementSummary {
  const { strength = null, reached = 0, tried = 0, noticed = 0, survived = 0 } = row.evidence ?? {}
  return { ...presentRecord(row), ...presentReason(row), strength, reached, tried, noticed, survived }
}

function presentRecord(row: MeasurementRow): Omit<Measurement, 'evidence'> {
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
