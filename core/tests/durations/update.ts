import { durationQuantiles } from '../../../engines/health/duration-quantiles.ts'
import type { Context } from '../../base/context.ts'
import type { ProjectRow } from '../../projects/entity.ts'
import { loadTestPolicy } from '../../test-policy/load.ts'
import { keyOf, type TestKey } from '../health/candidates.ts'
import { loadRuns } from '../health/load-runs.ts'
import { loadDurations } from './load.ts'

/** Tests whose results are read at once: 20 ms of the process. */
const batch = 100

/**
 * Computes the durations of a project's healthy tests from their latest results, as the judgement of others does: a run
 * in which they pass does not judge them.
 *
 * @returns whether some tests were busy, so that they keep their earlier durations
 */
export async function updateDurations(ctx: Context, project: Omit<ProjectRow, 'settings'>): Promise<boolean> {
  const { health: rules } = await loadTestPolicy(ctx, project.id)
  const runs = await loadRuns(ctx, project, rules, ctx.now())
  const tests = await ctx.db.query<TestKey[]>(
    `SELECT test_id AS "testId", variant FROM tests WHERE project_id = $1 AND health = 'healthy' AND merged_into IS NULL
      ORDER BY test_id, variant`,
    [project.id],
  )
  let busy = 0
  for (let from = 0; from < tests.length; from += batch) {
    ctx.signal.throwIfAborted()
    const some = tests.slice(from, from + batch)
    busy += await store(ctx, project.id, some, await loadDurations(ctx, project.id, runs, some))
  }
  return busy > 0
}

/** Stores the durations that changed. Rows that another transaction has locked stay as they are, and are counted. */
async function store(
  { db }: Context,
  projectId: string,
  tests: readonly TestKey[],
  durations: ReadonlyMap<string, number[]>,
): Promise<number> {
  const found = tests.flatMap((test) => {
    const quantiles = durationQuantiles(durations.get(keyOf(test)) ?? [])
    return quantiles ? [{ ...test, ...quantiles }] : []
  })
  const [{ busy }] = await db.query<[{ busy: number }]>(
    `WITH wanted AS (
       SELECT t.test_id, t.variant, w.p50, w.p95
         FROM jsonb_to_recordset($2) AS w ("testId" uuid, variant text, p50 double precision, p95 double precision)
         JOIN tests AS t ON t.project_id = $1 AND t.test_id = w."testId" AND t.variant = w.variant
        WHERE (t.p50_ms, t.p95_ms) IS DISTINCT FROM (w.p50, w.p95)),
     locked AS (
       SELECT wanted.* FROM wanted JOIN tests AS t USING (test_id, variant) WHERE t.project_id = $1
          FOR NO KEY UPDATE OF t SKIP LOCKED),
     updated AS (
       UPDATE tests AS t SET p50_ms = locked.p50, p95_ms = locked.p95 FROM locked
        WHERE t.project_id = $1 AND t.test_id = locked.test_id AND t.variant = locked.variant RETURNING 1)
     SELECT ((SELECT count(*) FROM wanted) - (SELECT count(*) FROM updated))::int AS busy`,
    [projectId, JSON.stringify(found)],
  )
  return busy
}
