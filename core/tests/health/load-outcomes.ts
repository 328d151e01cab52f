import type { Outcome } from '../../../engines/health/outcome.ts'
import { isExcused } from '../../../engines/health/outages.ts'
import type { Context } from '../../base/context.ts'
import { keyOf, type TestKey } from './candidates.ts'
import type { JudgedRun } from './load-runs.ts'

/** The history of a test, as far as it counts. */
export interface TestHistory {
  test: TestKey
  outcomes: Outcome[]
  /** Of its results that were not skipped, in the order of the runs, in milliseconds. */
  durations: number[]
}

interface Row extends TestKey {
  places: number[]
  /** One letter for each place: passed, retried, failed, or both in one run. */
  codes: string
  durations: (number | null)[]
  /** The places and fingerprints of results that are not plain passes. */
  notable: [place: number, fingerprint: string | null][]
}

/** Loads the outcomes of tests in these runs: one history for each test, also without outcomes. */
export async function loadOutcomes(
  ctx: Pick<Context, 'db'>,
  projectId: string,
  runs: readonly JudgedRun[],
  tests: readonly TestKey[],
): Promise<TestHistory[]> {
  const historiesOf = await loadHistories(ctx, projectId, runs, tests)
  return historiesOf(runs)
}

/**
 * Loads the results of tests in these runs. A test that was merged into another contributes to the other's history.
 *
 * @returns a function of the same runs, also with outages by other rules
 */
export async function loadHistories(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  runs: readonly JudgedRun[],
  tests: readonly TestKey[],
): Promise<(runs: readonly JudgedRun[]) => TestHistory[]> {
  const ids = runs.map(({ id }) => id)
  const [least] = ids.toSorted()
  const rows =
    least === undefined
      ? []
      : await db.query<Row[]>(
          `WITH runs AS MATERIALIZED (SELECT id, place::int FROM unnest($1::text[]) WITH ORDINALITY AS r (id, place)),
           wanted AS (
             SELECT test_id, variant, test_id AS source FROM unnest($2::uuid[], $3::text[]) AS w (test_id, variant)
             UNION ALL
             SELECT w.test_id, w.variant, m.test_id
               FROM unnest($2::uuid[], $3::text[]) AS w (test_id, variant)
               JOIN (SELECT DISTINCT test_id, merged_into FROM tests WHERE project_id = $4 AND merged_into IS NOT NULL) AS m
                 ON m.merged_into = w.test_id),
           results AS (
             SELECT w.test_id, w.variant, runs.place,
                    CASE WHEN r.status = 'failed' THEN CASE WHEN r.flaky THEN 'b' ELSE 'f' END WHEN r.flaky THEN 'r' ELSE 'p' END AS code,
                    r.duration_ms, r.error_id
               FROM wanted AS w
              CROSS JOIN LATERAL (
                SELECT run_id, status, flaky, muted, duration_ms, error_id FROM test_results
                 WHERE test_id = w.source AND variant = w.variant AND run_id >= $5 AND status <> 'skipped') AS r
               JOIN runs ON runs.id = r.run_id)
           SELECT test_id AS "testId", variant, array_agg(place ORDER BY place, code) AS places,
                  string_agg(code, '' ORDER BY place, code) AS codes, array_agg(duration_ms ORDER BY place, code) AS durations,
                  coalesce(jsonb_agg(jsonb_build_array(place, error_id) ORDER BY place, code) FILTER (WHERE code <> 'p'), '[]') AS notable
             FROM results GROUP BY test_id, variant`,
          [ids, tests.map(({ testId }) => testId), tests.map(({ variant }) => variant), projectId, least],
        )
  const found = new Map(rows.map((row) => [keyOf(row), row]))
  return (judged) =>
    tests.map((test) => {
      const row = found.get(keyOf(test))
      return row ? historyOf(test, row, judged) : { test, outcomes: [], durations: [] }
    })
}

function historyOf(test: TestKey, row: Row, runs: readonly JudgedRun[]): TestHistory {
  const fingerprints = new Map(row.notable.map(([place, fingerprint]) => [place, fingerprint]))
  const outcomes: Outcome[] = []
  for (const [index, place] of row.places.entries()) {
    const run = runs[place - 1]
    if (!run || run.outage?.kind === 'mass') continue
    const code = row.codes[index] ?? 'p'
    const failed = code === 'f' || code === 'b'
    const retried = code === 'r' || code === 'b'
    const last = outcomes.at(-1)
    if (last?.runId === run.id) {
      // A test with several results in a run failed if one of them failed.
      last.retried ||= retried
      last.failed ||= failed
      last.fingerprint ??= fingerprints.get(place) ?? null
      continue
    }
    const fingerprint = fingerprints.get(place) ?? null
    outcomes.push({
      runId: run.id,
      at: run.at,
      commit: run.commit,
      isDefault: run.isDefault,
      failed,
      retried,
      fingerprint,
      excused: (failed || retried) && isExcused(run.outage, fingerprint),
    })
  }
  return { test, outcomes, durations: row.durations.filter((ms) => ms !== null) }
}
