import { planShards } from '../../../engines/health/shards.ts'
import type { Context } from '../../base/context.ts'
import { getOwnProject } from '../../projects/get.ts'
import type { PlanShards, ShardPlan } from './schema.ts'

/** Divides the test files of a project, or exactly the given ones, into shards that take about the same time, by the durations of recent runs. */
export async function planTestShards(ctx: Context, input: PlanShards): Promise<ShardPlan> {
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const known = await ctx.db.query<{ path: string; ms: number | null; tests: number }[]>(
    `SELECT file AS path, sum(p50_ms) AS ms, count(*)::int AS tests FROM (
       SELECT DISTINCT ON (test_id) test_id, file, p50_ms FROM tests
        WHERE project_id = $1 AND merged_into IS NULL AND health <> 'stale' AND file IS NOT NULL
        ORDER BY test_id, p50_ms DESC NULLS LAST) AS t
      GROUP BY file ORDER BY file`,
    [projectId],
  )
  const files = input.files ? withGiven(input.files, known) : known
  const shards = planShards(files, input.count, known).map(({ ms, ...shard }) => ({ ...shard, ms: Math.round(ms) }))
  const totalMs = shards.reduce((sum, { ms }) => sum + ms, 0)
  return {
    shards: shards.map((shard, index) => ({ index: index + 1, ...shard })),
    totalMs,
    longestMs: Math.max(0, ...shards.map(({ ms }) => ms)),
    unmeasured: files.filter(({ ms }) => ms === null).map(({ path }) => path),
  }
}

/** A file that no run contained has one test. */
function withGiven(given: readonly string[], known: readonly { path: string; ms: number | null; tests: number }[]) {
  const byPath = new Map(known.map((file) => [file.path, file]))
  return [...new Set(given)].map((path) => byPath.get(path) ?? { path, ms: null, tests: 1 })
}
