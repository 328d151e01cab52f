import { runUrl } from '../base/page-urls.ts'
import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import type { ListShadowRuns, ShadowRun, ShadowRunsPage } from './schema.ts'

type Row = Omit<ShadowRun, 'url' | 'createdAt' | 'seconds'> & {
  all_seconds: number
  selected_seconds: number
  created_at: Date
  total: number
}

/** Lists what selections would have done in place of runs of all tests, newest first. */
export async function listShadowRuns(ctx: Context, input: ListShadowRuns): Promise<ShadowRunsPage> {
  const { limit, offset, red = false } = input
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const condition = `s.project_id = $1 AND (NOT $2 OR s.failures > 0)`
  const [{ total }] = await ctx.db.query<[{ total: number }]>(
    `SELECT count(*)::int AS total FROM shadow_selections AS s WHERE ${condition}`,
    [projectId, red],
  )
  const rows = await ctx.db.query<Row[]>(
    `SELECT s.run_id AS "runId", s.project_id AS "projectId", r.branch, s.base_sha AS "baseSha", s.head_sha AS "headSha", s.mode, s.why_all AS "whyAll",
            s.counts, s.all_seconds, s.selected_seconds, s.failures, s.caught, s.missed, s.created_at
       FROM shadow_selections AS s JOIN test_runs AS r ON r.id = s.run_id
      WHERE ${condition} ORDER BY s.run_id DESC LIMIT $3 OFFSET $4`,
    [projectId, red, limit, offset],
  )
  return {
    runs: rows.map(({ all_seconds: all, selected_seconds: selected, created_at: createdAt, ...row }) => ({
      ...row,
      url: runUrl(ctx, { projectId, id: row.runId }),
      seconds: { all, selected },
      createdAt: createdAt.toISOString(),
    })),
    pagination: { total, limit, offset },
  }
}
