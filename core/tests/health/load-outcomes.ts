import type { Outcome } from '../../../engines/health/outcome.ts'
import { isExcused } from '../../../engines/health/outages.ts'
import type { Context } from '../../base/context.ts'
import { keyOf, type TestKey } from './candidates.ts'
import { loadResults, placesOf } from './load-results.ts'
import type { JudgedRun } from './load-runs.ts'

/** The history of a test, as far as it counts. */
export interface TestHistory {
  test: TestKey
  outcomes: Outcome[]
}

interface Row {
  runIds: string
  /** The results that are not plain passes. */
  notable: Notable[]
}

type Notable = [runId: string, status: 'failed' | 'passed', retried: boolean, fingerprint: string | null]

const columns = `
  string_agg(run_id, ',') AS "runIds",
  coalesce(jsonb_agg(jsonb_build_array(run_id, status, flaky, error_id)) FILTER (WHERE status = 'failed' OR flaky), '[]') AS notable`

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

/** Loads the results of tests in these runs, and returns a function of the same runs, also with outages by other rules. */
export async function loadHistories(
  ctx: Pick<Context, 'db'>,
  projectId: string,
  runs: readonly JudgedRun[],
  tests: readonly TestKey[],
): Promise<(runs: readonly JudgedRun[]) => TestHistory[]> {
  const found = await loadResults<Row>(ctx, projectId, runs, tests, columns)
  const places = placesOf(runs)
  return (judged) =>
    tests.map((test) => ({ test, outcomes: outcomesOf(found.get(keyOf(test)) ?? [], { runs: judged, places }) }))
}

function outcomesOf(
  rows: readonly Row[],
  { runs, places }: { runs: readonly JudgedRun[]; places: ReadonlyMap<string, number> },
): Outcome[] {
  const notable = notableByRun(rows.flatMap((row) => row.notable))
  // A test with several results in a run has one outcome.
  const seen = new Set(rows.flatMap(({ runIds }) => runIds.split(',').flatMap((id) => places.get(id) ?? [])))
  return [...seen]
    .toSorted((a, b) => a - b)
    .flatMap((place) => {
      const run = runs[place]
      if (!run || run.outage?.kind === 'mass') return []
      const { failed, retried, fingerprint } = notable.get(run.id) ?? passed
      const excused = (failed || retried) && isExcused(run.outage, fingerprint)
      const { id: runId, at, commit, isDefault } = run
      return [{ runId, at, commit, isDefault, failed, retried, fingerprint, excused }]
    })
}

const passed = { failed: false, retried: false, fingerprint: null }

/** A test failed in a run if one of its results failed. */
function notableByRun(results: readonly Notable[]) {
  const found = new Map<string, Pick<Outcome, 'failed' | 'retried' | 'fingerprint'>>()
  for (const [runId, status, retried, fingerprint] of results.toSorted(failuresFirst)) {
    const known = found.get(runId) ?? passed
    found.set(runId, {
      failed: known.failed || status === 'failed',
      retried: known.retried || retried,
      fingerprint: known.fingerprint ?? fingerprint,
    })
  }
  return found
}

/** The order of the database would let the fingerprint of a run with several failures change. */
const failuresFirst = (a: Notable, b: Notable) => (textOf(a) < textOf(b) ? -1 : 1)
const textOf = ([, status, retried, fingerprint]: Notable) => `${status} ${retried} ${fingerprint}`
