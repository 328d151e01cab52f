import { findOutage, type Outage, usualFailures } from '../../../engines/health/outages.ts'
import type { Context } from '../../base/context.ts'
import type { HealthRules } from '../../test-policy/schema.ts'

/** A run whose results count for the health of tests. */
export interface JudgedRun {
  id: string
  at: number
  commit: string | null
  branch: string | null
  isDefault: boolean
  /** Runs of the same kind are compared. */
  kind: string
  totalTests: number
  isWhole: boolean
  rerunOf: string | null
  userId: string
  failed: boolean
  failures: RunFailures
  /** As stored when its tests were judged. */
  storedOutage: string | null
  outage: Outage | null
}

/** What a run says about outages, as stored in `test_runs.failures`. */
export interface RunFailures {
  /** Tests that failed or passed only after a failed attempt. */
  tests: number
  /** How many of them have the same error, for the errors that at least two of them have. */
  errors: Record<string, number>
}

interface Row extends Omit<JudgedRun, 'at' | 'outage' | 'storedOutage'> {
  at: Date
  storedOutage: string | null
}

/** Older results do not count. */
export const windowDays = 90
/** Enough for a month of 100 runs a day. */
const maxRuns = 3_000

/** SQL condition on a row of `test_runs`, which implies that of the index `test_runs_judged`. */
export const isJudged = (run: string) =>
  `${run}.status = 'COMPLETED' AND ${run}.total_tests > 0 AND ${run}.snapshot_id IS NULL AND ${run}.commit_sha IS NOT NULL AND ${run}.with_secrets`

/**
 * Loads the latest runs of a project whose results count, oldest first, with the outages that they show. Runs whose failures
 * are not noted yet follow later.
 */
export async function loadRuns(
  { db }: Pick<Context, 'db'>,
  project: { id: string; branch: string },
  rules: HealthRules,
  until: Date,
): Promise<JudgedRun[]> {
  const rows = await db.query<Row[]>(
    `SELECT id, ran_at AS at, commit_sha AS commit, branch, branch IS NOT DISTINCT FROM $2 AND pull_request IS NULL AS "isDefault",
            type || ' ' || coalesce(name, '') AS kind, total_tests AS "totalTests", selection IS NULL AS "isWhole",
            rerun_of AS "rerunOf", user_id AS "userId", failed_tests > 0 AS failed, failures, outage AS "storedOutage"
       FROM test_runs
      WHERE project_id = $1 AND ${isJudged('test_runs')} AND failures IS NOT NULL AND ran_at > $3::timestamptz - make_interval(days => ${windowDays})
      ORDER BY ran_at DESC, id DESC LIMIT ${maxRuns}`,
    [project.id, project.branch, until],
  )
  const runs = rows.toReversed().map((row): JudgedRun => ({ ...row, at: row.at.getTime(), outage: null }))
  findOutages(runs, rules)
  return runs
}

/** Sets the outages of runs, which depend on how many tests failed in other runs of the same kind. */
export function findOutages(runs: readonly JudgedRun[], rules: HealthRules): void {
  const wholes = runs.filter(({ isWhole }) => isWhole)
  const counts = new Map(
    Map.groupBy(wholes, ({ kind }) => kind)
      .entries()
      .map(([kind, ofKind]) => [kind, ofKind.map(({ failures }) => failures.tests)]),
  )
  const places = new Map<string, number>()
  const byId = new Map(runs.map((run) => [run.id, run]))
  for (const run of runs) {
    const { tests, errors } = run.failures
    const place = places.get(run.kind) ?? 0
    if (run.isWhole) places.set(run.kind, place + 1)
    // A rerun of failed tests contains few others, so its share of failures says nothing.
    const original = run.rerunOf === null ? undefined : byId.get(run.rerunOf)
    const totalTests = Math.max(run.totalTests, original?.totalTests ?? 0)
    const usual = usualFailures(counts.get(run.kind) ?? [], place)
    run.outage = findOutage({ totalTests, tests, errors: new Map(Object.entries(errors)) }, usual, rules)
  }
}

/** The kind of an outage, as stored. */
export const outageKind = ({ outage }: JudgedRun): string | null =>
  outage === null ? null : outage.kind === 'incident' ? `incident of ${outage.tests}` : outage.kind
