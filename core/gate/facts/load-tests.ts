import type { GateFacts, NamedTest } from '../../../engines/gate/facts.ts'
import type { Context } from '../../base/context.ts'
import type { GateRow } from '../entity.ts'
import type { GateRun } from './load-runs.ts'

/** The tests that are named; the others are only counted. */
const maxNamed = 20
/** So many different tests that failed are compared with other runs. */
const maxTests = 5_000
/** As in the default policy of test health: such a run says nothing about single tests. */
const massShare = 0.2
const massTests = 10

interface ResultRow {
  test_id: string
  variant: string
  suite: string
  name: string
  file: string | null
  run_id: string
  status: 'passed' | 'failed' | 'skipped'
  flaky: boolean
  muted: boolean
}

/**
 * Finds the tests whose latest result on the commit is a failure that decides, and those that both failed and passed
 * there. A test that is broken on the default branch or failed on the base is known; it does not come from the change.
 */
export async function loadTests(
  ctx: Pick<Context, 'db'>,
  gate: Pick<GateRow, 'projectId' | 'headSha' | 'baseSha'>,
  runs: readonly GateRun[],
): Promise<Pick<GateFacts, 'failures' | 'flaky'>> {
  const order = new Map(runs.map(({ id }, index) => [id, index]))
  const rows = await resultsOf(ctx, [...order.keys()])
  const byTest = Map.groupBy(rows, ({ test_id, variant }) => `${test_id} ${variant}`)
  // Of a retried run the later results count, and within a run every failure.
  const place = ({ run_id, status }: ResultRow) => (order.get(run_id) ?? 0) * 2 + (status === 'failed' ? 0 : 1)
  const tests = [...byTest.values()].map((results) => results.toSorted((a, b) => place(a) - place(b)))
  const deciding = tests.flatMap(([latest]) => (latest?.status === 'failed' && !latest.muted ? latest : []))
  const mass = new Set(runs.filter(isMassFailure).map(({ id }) => id))
  const unstable = tests.flatMap((results) => {
    const counting = results.filter(({ run_id }) => !mass.has(run_id))
    const failed = counting.some(({ status }) => status === 'failed')
    const isFlaky =
      counting.some(({ flaky }) => flaky) || (failed && counting.some(({ status }) => status === 'passed'))
    const [latest] = results
    return isFlaky && latest && !latest.muted ? latest : []
  })
  const known = await knownTests(ctx, gate, [...deciding, ...unstable])
  const fresh = deciding.filter(({ test_id, variant }) => !known.failing.has(`${test_id} ${variant}`))
  const freshFlaky = unstable.filter(({ test_id, variant }) => !known.flaky.has(`${test_id} ${variant}`))
  return {
    failures: {
      fresh: fresh.slice(0, maxNamed).map(named),
      freshCount: fresh.length,
      known: deciding.length - fresh.length,
      muted: tests.filter(([latest]) => latest?.status === 'failed' && latest.muted).length,
    },
    flaky: { fresh: freshFlaky.slice(0, maxNamed).map(named), freshCount: freshFlaky.length },
  }
}

const isMassFailure = ({ total_tests, failed_tests, muted_tests }: GateRun) =>
  total_tests >= massTests && failed_tests + muted_tests >= massShare * total_tests

const named = ({ test_id, variant, suite, name, file, run_id }: ResultRow): NamedTest => ({
  testId: test_id,
  variant,
  suite,
  name,
  file,
  runId: run_id,
})

/** All results of tests that failed or were flaky in one of the runs. */
function resultsOf({ db }: Pick<Context, 'db'>, runIds: readonly string[]): Promise<ResultRow[]> {
  return db.query<ResultRow[]>(
    `WITH notable AS (
       SELECT DISTINCT test_id FROM test_results
        WHERE run_id = ANY ($1) AND (status = 'failed' OR flaky) LIMIT ${maxTests})
     SELECT test_id, variant, suite, name, file, run_id, status, flaky, muted FROM test_results
      WHERE run_id = ANY ($1) AND test_id IN (SELECT test_id FROM notable) AND (status <> 'skipped' OR muted)
      ORDER BY suite, name, variant`,
    [runIds],
  )
}

/** Which of the tests failed or were flaky before the change, by id and variant. What began with its commit is not known. */
async function knownTests(
  { db }: Pick<Context, 'db'>,
  { projectId, headSha, baseSha }: Pick<GateRow, 'projectId' | 'headSha' | 'baseSha'>,
  tests: readonly ResultRow[],
): Promise<{ failing: Set<string>; flaky: Set<string> }> {
  const ids = [...new Set(tests.map(({ test_id }) => test_id))]
  if (ids.length === 0) return { failing: new Set(), flaky: new Set() }
  const [judged, onBase] = await Promise.all([
    db.query<{ test_id: string; variant: string; health: string }[]>(
      `SELECT test_id, variant, health FROM tests
        WHERE project_id = $1 AND test_id = ANY ($2) AND health IN ('broken', 'flaky')
          AND since ->> 'commit' IS DISTINCT FROM $3`,
      [projectId, ids, headSha],
    ),
    db.query<{ test_id: string; variant: string; failed: boolean }[]>(
      `SELECT test_id, variant, bool_and(status = 'failed') AS failed FROM test_results
        WHERE test_id = ANY ($2) AND status <> 'skipped'
          AND run_id IN (SELECT id FROM test_runs WHERE project_id = $1 AND commit_sha = $3 AND snapshot_id IS NULL)
        GROUP BY test_id, variant`,
      [projectId, ids, baseSha],
    ),
  ])
  const keyOf = ({ test_id, variant }: { test_id: string; variant: string }) => `${test_id} ${variant}`
  return {
    failing: new Set([
      ...judged.filter(({ health }) => health === 'broken').map(keyOf),
      ...onBase.filter(({ failed }) => failed).map(keyOf),
    ]),
    flaky: new Set(judged.map(keyOf)),
  }
}
