import { type Site, testUrl } from '../base/page-urls.ts'
import type { EvidenceRun as JudgedRun, HealthRule } from '../../engines/health/outcome.ts'
import type { QuarantineMode, QuarantineStatus } from '../quarantine/schema.ts'
import { explainHealth } from '../../engines/health/explain.ts'
import type { LastFailure } from './health/describe-tests.ts'
import type { Health, TestSummary } from './schema.ts'

export interface TestRow {
  projectId: string
  testId: string
  variant: string
  suite: string
  name: string
  file: string | null
  owners: string[]
  health: Health
  rule: HealthRule
  since: JudgedRun | null
  evidence: JudgedRun[]
  missing: { passes: number; days: number } | null
  /** Its latest results on the default branch are failures. */
  unsettled: boolean
  failureRate: number
  failures: number
  blockedRuns: number
  blockedPeople: number
  impact: number
  p50Ms: number | null
  p95Ms: number | null
  firstSeenAt: Date
  lastSeenAt: Date
  lastFailure: LastFailure | null
  quarantineId: string | null
  quarantineStatus: QuarantineStatus | null
  quarantineMode: QuarantineMode | null
  quarantineExpiresAt: Date | null
}

/** SQL columns of a `TestRow`: `t` is a row of `tests`, `q` its open quarantine or nulls. */
export const testColumns = `
  t.project_id AS "projectId", t.test_id AS "testId", t.variant, t.suite, t.name, t.file, t.owners, t.health, t.rule, t.since,
  t.evidence, t.missing, t.unsettled, t.failure_rate AS "failureRate", t.failures, t.blocked_runs AS "blockedRuns",
  t.blocked_people AS "blockedPeople", t.impact, t.p50_ms AS "p50Ms", t.p95_ms AS "p95Ms",
  t.first_seen_at AS "firstSeenAt", t.last_seen_at AS "lastSeenAt", t.last_failure AS "lastFailure",
  q.id AS "quarantineId", q.status AS "quarantineStatus", q.mode AS "quarantineMode", q.expires_at AS "quarantineExpiresAt"`

/** SQL condition: the time of one that is recorded as active can be up. */
export const isOpenQuarantine = `(status = 'requested' OR (status = 'active' AND expires_at > now()))`

/**
 * SQL that joins the open quarantine of a test `t`: one that is active before a request, one that skips before one that
 * mutes, and the one that lasts longest.
 */
export const openQuarantine = `
  LEFT JOIN LATERAL (
    SELECT id, status, mode, expires_at FROM quarantines
     WHERE project_id = t.project_id AND test_id = t.test_id AND (variant IS NULL OR variant = t.variant)
       AND ${isOpenQuarantine}
     ORDER BY status, mode DESC, expires_at DESC, id LIMIT 1) AS q ON true`

export function presentTest(site: Site, row: TestRow): TestSummary {
  const { quarantineId, quarantineStatus, quarantineMode, quarantineExpiresAt, evidence, ...fields } = row
  const { projectId, since, missing: _, unsettled: __, ...rest } = fields
  return {
    ...rest,
    url: testUrl(site, { id: row.testId, projectId }),
    reason: explainHealth({ rule: row.rule, evidence }),
    since: since && { runId: since.runId || null, at: new Date(since.at).toISOString(), commit: since.commit },
    quarantine:
      quarantineId !== null && quarantineStatus !== null && quarantineMode !== null
        ? {
            id: quarantineId,
            status: quarantineStatus,
            mode: quarantineMode,
            expiresAt: quarantineExpiresAt?.toISOString() ?? null,
          }
        : null,
    firstSeenAt: row.firstSeenAt.toISOString(),
    lastSeenAt: row.lastSeenAt.toISOString(),
  }
}

/** A fix whose commit no run has tested yet is evidence without a run, which is not shown. */
export const presentEvidence = (evidence: readonly JudgedRun[]) =>
  evidence.filter(({ runId }) => runId !== '').map(({ at, ...run }) => ({ ...run, at: new Date(at).toISOString() }))
