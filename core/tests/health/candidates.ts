import type { Context } from '../../base/context.ts'
import type { JudgedRun } from './load-runs.ts'

/** A test with one variant, whose health is judged apart from other variants. */
export interface TestKey {
  testId: string
  variant: string
}

type Db = Pick<Context, 'db'>

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
export function unsettledTests(
  { db }: Db,
  projectId: string,
  runIds: readonly string[],
  isLate: boolean,
): Promise<TestKey[]> {
  return db.query<TestKey[]>(
    `SELECT DISTINCT r.test_id AS "testId", r.variant
       FROM test_results AS r
       LEFT JOIN tests AS t ON t.project_id = $1 AND t.test_id = r.test_id AND t.variant = r.variant
      WHERE r.run_id = ANY ($2) AND r.status <> 'skipped'
        AND (t.health IS DISTINCT FROM 'healthy' OR t.unsettled ${isLate ? 'OR t.last_failure IS NOT NULL' : ''})`,
    [projectId, runIds],
  )
}

/** Returns tests that the project's latest runs may no longer contain. */
export async function unseenTests(
  { db }: Db,
  projectId: string,
  { latestRunAt, staleDays }: { latestRunAt: number; staleDays: number },
): Promise<TestKey[]> {
  return db.query<TestKey[]>(
    `SELECT test_id AS "testId", variant FROM tests
      WHERE project_id = $1 AND health <> 'stale' AND last_seen_at <= $2::timestamptz - make_interval(days => $3)`,
    [projectId, new Date(latestRunAt), staleDays],
  )
}

/** Returns all tests that can be other than new or healthy, or whose counts can change. */
export function allNotable({ db }: Db, projectId: string, runs: readonly JudgedRun[]): Promise<TestKey[]> {
  return db.query<TestKey[]>(
    `SELECT test_id AS "testId", variant FROM tests WHERE project_id = $1 AND (health <> 'healthy' OR impact > 0)
     UNION
     SELECT test_id, variant FROM test_results
      WHERE run_id = ANY ($2) AND (status = 'failed' OR flaky)`,
    [projectId, runs.flatMap(({ id, failures }) => (failures === null || failures.tests > 0 ? [id] : []))],
  )
}

export function variantsOf({ db }: Db, projectId: string, testIds: readonly string[]): Promise<TestKey[]> {
  if (testIds.length === 0) return Promise.resolve([])
  return db.query<TestKey[]>(
    'SELECT test_id AS "testId", variant FROM tests WHERE project_id = $1 AND test_id = ANY ($2)',
    [projectId, testIds],
  )
}

export function uniqueTests(lists: readonly (readonly TestKey[])[]): TestKey[] {
  return [...new Map(lists.flat().map((test) => [keyOf(test), test])).values()]
}

export const keyOf = ({ testId, variant }: TestKey) => `${testId} ${variant}`
