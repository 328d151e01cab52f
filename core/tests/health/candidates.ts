import type { Context } from '../../base/context.ts'
import type { JudgedRun } from './load-runs.ts'

/** A test with one variant, whose health is judged apart from other variants. */
export interface TestKey {
  testId: string
  variant: string
}

type Db = Pick<Context, 'db'>

/**
 * Returns the tests whose health the results of pending runs can change, and all that can have another one.
 *
 * @param changed - runs whose outage is another than before
 * @param everything - after a change of the rules, or on another day
 */
export async function findCandidates(
  ctx: Db,
  projectId: string,
  {
    pending,
    changed,
    runs,
    everything,
    staleDays,
  }: {
    pending: readonly string[]
    changed: readonly string[]
    runs: readonly JudgedRun[]
    everything: boolean
    staleDays: number
  },
): Promise<TestKey[]> {
  const arrived = new Set(pending)
  const first = runs.findIndex(({ id }) => arrived.has(id))
  const isLate = first !== -1 && runs.slice(first).some(({ id }) => !arrived.has(id))
  // A pass on a commit on which a test failed before is evidence.
  const commits = new Set(runs.flatMap(({ id, commit }) => (arrived.has(id) && commit !== null ? [commit] : [])))
  const related = runs.filter(({ id, commit }) => arrived.has(id) || (commit !== null && commits.has(commit)))
  const latestRunAt = runs.findLast(({ isWhole }) => isWhole)?.at
  const merged = await loadMerged(ctx, projectId)
  return uniqueTests(
    [
      ...(await notableTests(ctx, [...related.map(({ id }) => id), ...changed])),
      ...(await unsettledTests(ctx, projectId, [...pending, ...changed], isLate)),
      ...(latestRunAt === undefined ? [] : await unseenTests(ctx, projectId, { latestRunAt, staleDays })),
      ...(everything ? await allNotable(ctx, projectId, runs) : []),
    ],
    merged,
  )
}

/** Returns the tests that failed, or passed only after a failed attempt, in these runs. */
export function notableTests({ db }: Db, runIds: readonly string[]): Promise<TestKey[]> {
  if (runIds.length === 0) return Promise.resolve([])
  return db.query<TestKey[]>(
    `SELECT DISTINCT test_id AS "testId", variant FROM test_results
      WHERE run_id = ANY ($1) AND (status = 'failed' OR flaky)`,
    [runIds],
  )
}

/**
 * Returns the tests of these runs whose health a pass can change: those that are unknown, not healthy, or failed last.
 *
 * @param isLate - whether one of the runs is not the newest, so that its results come between those of others
 */
function unsettledTests({ db }: Db, projectId: string, runIds: readonly string[], isLate: boolean): Promise<TestKey[]> {
  return db.query<TestKey[]>(
    `SELECT DISTINCT r.test_id AS "testId", r.variant
       FROM test_results AS r
       LEFT JOIN (SELECT DISTINCT test_id, merged_into FROM tests WHERE project_id = $1 AND merged_into IS NOT NULL) AS m
              ON m.test_id = r.test_id
       LEFT JOIN tests AS t
              ON t.project_id = $1 AND t.test_id = coalesce(m.merged_into, r.test_id) AND t.variant = r.variant
      WHERE r.run_id = ANY ($2) AND r.status <> 'skipped'
        AND (t.health IS DISTINCT FROM 'healthy' OR t.unsettled ${isLate ? 'OR t.last_failure IS NOT NULL' : ''})`,
    [projectId, runIds],
  )
}

/** Returns tests that the project's latest runs may no longer contain. */
async function unseenTests(
  { db }: Db,
  projectId: string,
  { latestRunAt, staleDays }: { latestRunAt: number; staleDays: number },
): Promise<TestKey[]> {
  return db.query<TestKey[]>(
    `SELECT test_id AS "testId", variant FROM tests
      WHERE project_id = $1 AND merged_into IS NULL AND health <> 'stale' AND last_seen_at <= $2::timestamptz - make_interval(days => $3)`,
    [projectId, new Date(latestRunAt), staleDays],
  )
}

/** Returns all tests that can be other than new or healthy, or whose counts can change. */
function allNotable({ db }: Db, projectId: string, runs: readonly JudgedRun[]): Promise<TestKey[]> {
  return db.query<TestKey[]>(
    `SELECT test_id AS "testId", variant FROM tests WHERE project_id = $1 AND merged_into IS NULL AND (health <> 'healthy' OR impact > 0)
     UNION
     SELECT test_id, variant FROM test_results
      WHERE run_id = ANY ($2) AND (status = 'failed' OR flaky)`,
    [projectId, runs.flatMap(({ id, failures }) => (failures.tests > 0 ? [id] : []))],
  )
}

/** Returns the test under which each merged test is judged. */
export async function loadMerged({ db }: Db, projectId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ testId: string; into: string }[]>(
    `SELECT DISTINCT test_id AS "testId", merged_into AS "into" FROM tests
      WHERE project_id = $1 AND merged_into IS NOT NULL`,
    [projectId],
  )
  return new Map(rows.map(({ testId, into }) => [testId, into]))
}

/** Returns each test once, and merged tests under the test that they were merged into. */
export function uniqueTests(tests: readonly TestKey[], merged: ReadonlyMap<string, string>): TestKey[] {
  const judged = tests.map(({ testId, variant }) => ({ testId: merged.get(testId) ?? testId, variant }))
  return [...new Map(judged.map((test) => [keyOf(test), test])).values()]
}

export const keyOf = ({ testId, variant }: TestKey) => `${testId} ${variant}`
